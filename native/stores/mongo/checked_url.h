#pragma once

#include <string>
#include <vector>

namespace nextid::mongo {

// A MongoDB URL as lib/stores/mongodb-url.js has checked it.
struct CheckedUrl {
  std::string text;                  // names a database
  std::string shown;                 // for errors: without credentials and options
  std::vector<std::string> secrets;  // what errors must not show, each in all its forms
};

}  // namespace nextid::mongo
