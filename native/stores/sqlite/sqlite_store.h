#pragma once

#include <memory>
#include <string>

#include "core/store.h"

namespace nextid::sqlite {

// A store in the SQLite file `path`, which any number of threads and processes of one machine may share. The
// first operation opens the file, and creates it if it is missing.
std::unique_ptr<Store> make_store(std::string path);

}  // namespace nextid::sqlite
