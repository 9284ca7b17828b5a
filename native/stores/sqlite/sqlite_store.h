#pragma once

#include <memory>
#include <string>

#include "core/store.h"

namespace nextid::sqlite {

// A store in the SQLite file `path`, shared by any number of threads and processes of one machine.
// Opens nothing yet: the file is opened, and made if it is not there, by the first operation.
std::unique_ptr<Store> make_store(std::string path);

}  // namespace nextid::sqlite
