#pragma once

#include "stores/mongo/cyclic_counter.h"
#include "stores/mongo/dated_counter.h"
#include "stores/mongo/plain_counter.h"
#include "stores/mongo/timestamped_counter.h"

namespace nextid::mongo {

// The class of each kind's counters: CounterClass<Plain> is PlainCounter.
PlainCounter class_of(const Plain&);
DatedCounter class_of(const Dated&);
CyclicCounter class_of(const Cyclic&);
TimestampedCounter class_of(const Timestamped&);
template <typename Kind>
using CounterClass = decltype(class_of(Kind()));

}  // namespace nextid::mongo
