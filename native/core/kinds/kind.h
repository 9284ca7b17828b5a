#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/counter_value.h"
#include "core/error.h"
#include "core/limits.h"
#include "core/range.h"

// What the file of each kind needs. CounterKind in core/counter_key.h lists what it must have.
namespace nextid {

struct AdvanceRequest;
struct CounterInfo;
struct Place;
struct ReserveRequest;

}  // namespace nextid
