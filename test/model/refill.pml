/*
 * The refill and release protocol of one plain counter (native/core/sequence.cpp, holding.cpp and the stores'
 * reserve() and release()), for `spin`; check.sh runs it. The same protocol serves one period of a dated
 * counter; what only that one does is marked "dated".
 *
 * Checked: no number is handed out twice; the ids of one instance grow; nobody overtakes a waiter; an
 * instance is told that its counter was set back only when it was; whoever waits gets a number or an error;
 * a close ends.
 *
 * Bounded: the instances, the numbers there are, the numbers of one refill (1 or 2: enough for a range to be
 * given back in part), the messages on their way that nobody waits for. Not bounded, but for PATIENT:
 * crashes, restarts, time-outs, losses, closes and failovers, in any order, between any two steps.
 *
 * Left out, because it changes neither which numbers an instance owns nor who waits:
 *   - the window: numbers in memory that JavaScript hands out by itself. close() takes it back first, on the
 *     same thread; here it is part of the memory.
 *   - when a prefetch is due, how much it asks for, how long a pause is: here that may be anything.
 *   - waiting for a free worker thread: the same as sending later.
 *   - blocks, max_age and skip_to(): they take numbers out of memory earlier, never put any in.
 *   - how a store makes its step atomic, and how it makes a counter that is not there: that is the contract
 *     of native/core/store.h, tested with real servers and files. A deleted counter is one set back to 0.
 *
 * Macros. Sizes: INSTANCES, NUMBERS, WAITERS, GOING_BACK, LATE. What is added to the model: FAILOVER, DATED,
 * RESTORE, PATIENT. Breaks, each of which must be found: RELEASE_AGAIN, RELEASE_ALWAYS, RELEASE_DOUBTFUL,
 * USE_DOUBTFUL, NO_FLOOR, MEND_EARLY, NO_RETRY.
 */

#ifndef INSTANCES
#define INSTANCES 2
#endif
#ifndef NUMBERS
#define NUMBERS 4
#endif
#ifndef WAITERS
#define WAITERS 1
#endif
#ifndef GOING_BACK
#define GOING_BACK 1   /* ranges that are on their way back to the store at one time */
#endif
#ifndef LATE
#define LATE 1         /* reservations on their way that nobody waits for any more */
#endif

/* PATIENT: no waiter has a time-out, and only so many faults happen (and closes, since these answer all).
   Then all who wait must be answered. (With time-outs they are anyway: a timer runs for who came first.) */
#ifdef PATIENT
#ifndef FAULTS
#define FAULTS 3
#endif
byte faults;
#define may_fail (faults < FAULTS)
#define count_fault faults++
#else
#define may_fail true
#define count_fault skip
#endif

/* A broken model is to be caught by the duplicate itself, not by what comes before it. */
#if defined(RELEASE_AGAIN) || defined(RELEASE_ALWAYS) || defined(RELEASE_DOUBTFUL) || \
    defined(USE_DOUBTFUL) || defined(NO_FLOOR) || defined(MEND_EARLY)
#define check(condition) skip
#else
#define check(condition) assert(condition)
#endif

mtype = { DOWN, OPEN, CLOSING };   /* an instance */

mtype = {      /* a refill */
  NONE,
  PAUSED,      /* none: the last one failed, and the next has to wait */
  SENT,        /* on its way; the store has not carried it out */
  WRITTEN,     /* reserved [first, end), but a failover can still undo it: an answer now is an error */
  DONE,        /* reserved [first, end) for good: the answer may come */
  FAILED,      /* nothing reserved, or undone: the answer is an error */
  REWOUND,     /* refused: the counter stands below the floor */
  FULL,        /* refused: no numbers left */
  RELEASE      /* and a request to give [first, end) back */
};

/* A request, with the worker thread and the connection that carry it. */
typedef Call {
  mtype phase;
  byte first;
  byte end
};

/* One process's Sequence and Holding. */
typedef Instance {
  mtype life;
  byte first;         /* numbers in memory, to be handed out next; 0, 0 if there are none */
  byte end;
  byte later_first;   /* what a prefetch brought, if it does not adjoin; else 0, 0 */
  byte later_end;
  byte floor;         /* Holding::floor(): the counter must stand here or above; 0: says nothing */
  byte given_below;   /* Holding::given_below(), 0: none */
  byte waiters
};

byte counter;   /* the store's counter, in the primary */
#ifdef FAILOVER
byte durable;   /* what a majority has, and what it is after a failover */
bool doubtful;  /* the last writes can still be undone */
#endif

Instance instance[INSTANCES];
Call refill[INSTANCES];   /* of each instance */

/* Releases, and abandoned refills (dated), which become releases. Nobody waits for them: whatever the
   outcome of a release is, an instance does nothing about it but end. So here it ends when it has sent it. */
Call going_back[GOING_BACK];

/* Reservations whose instance timed out or died. The store may carry them out at any time, or never; the
   numbers are nobody's. */
byte late;

short given;      /* bit n: the number n was handed out */
byte given_end;   /* above all of these */
bool restored;    /* the counter was set back, and nobody has mended that */

hidden byte n;    /* for loops within one step */

/* --- the store: one atomic step for each request */

#ifdef FAILOVER
#define is_written WRITTEN
#define write(value) counter = value; doubtful = true
#else
#define is_written DONE   /* SQLite: on disk before it answers */
#define write(value) counter = value
#endif

inline reserve(call, at_least) {
  if
#ifndef NO_FLOOR   /* break: nobody looks where the counter stands */
  :: counter < at_least -> call.phase = REWOUND
  :: counter >= at_least && counter == NUMBERS -> call.phase = FULL
#else
  :: counter == NUMBERS -> call.phase = FULL
#endif
  :: else ->
     call.phase = is_written;
     call.first = counter;
     if
     :: write(counter + 1)
     :: counter + 2 <= NUMBERS -> write(counter + 2)
     fi;
     call.end = counter
  fi
}

inline release(call) {
  if
#ifndef RELEASE_ALWAYS   /* break: whether or not somebody reserved after it */
  :: counter != call.end
#endif
  :: else -> write(call.first)
  fi
}

inline forget(call, becomes) {
  call.phase = becomes;
  call.first = 0;
  call.end = 0
}

/* --- what a Sequence does; `me` is its instance, `mine` its refill */

#define me instance[i]
#define mine refill[i]
#define has_numbers (me.first < me.end)
#define under_way (mine.phase == SENT || mine.phase == WRITTEN || mine.phase == DONE)

inline hand_out() {
  d_step {
    assert((given & (1 << me.first)) == 0);   /* no number twice */
    check(me.first >= me.given_below);        /* ids of one instance grow */
    given = given | (1 << me.first);
    me.first++;
    me.given_below = me.first;
    if
    :: given_end < me.first -> given_end = me.first
    :: else
    fi;
    if
    :: me.first == me.end ->
       me.first = me.later_first;
       me.end = me.later_end;
       me.later_first = 0;
       me.later_end = 0
    :: else
    fi
  }
}

inline drop_memory() {
  me.first = 0;
  me.end = 0;
  me.later_first = 0;
  me.later_end = 0
}

/* A range, or a refill that will bring one, is to be given back. If too many are on their way: it is lost. */
inline send_back(call_phase, from, to) {
  n = 0;
  do
  :: n < GOING_BACK && going_back[n].phase != NONE -> n++
  :: else -> break
  od;
  if
  :: n < GOING_BACK ->
     going_back[n].phase = call_phase;
     going_back[n].first = from;
     going_back[n].end = to
  :: else
  fi
}

/* Sequence::give_back(): only the last range can end where the counter stands. */
inline give_back() {
  d_step {
    if
    :: me.later_first < me.later_end -> send_back(RELEASE, me.later_first, me.later_end)
    :: else ->
       if
       :: has_numbers -> send_back(RELEASE, me.first, me.end)
       :: else
       fi
    fi;
    drop_memory()
  }
}

/* Sequence::on_refill() with a range. */
inline take_in() {
  d_step {
    me.floor = mine.end;
    if
    :: !has_numbers -> me.first = mine.first; me.end = mine.end
    :: has_numbers && me.end == mine.first -> me.end = mine.end
    :: else -> me.later_first = mine.first; me.later_end = mine.end
    fi;
    forget(mine, NONE)
  };
  do
  :: me.waiters > 0 && has_numbers -> me.waiters--; hand_out()
  :: else -> break
  od
}

/* Nobody waits for the answer any more. A request that was only sent may still be carried out. */
inline abandon(becomes) {
  d_step {
    if
    :: mine.phase == SENT && late < LATE -> late++
    :: else
    fi;
    forget(mine, becomes)
  }
}

/* Sequence::fail_refill() with a passing error: tried again after a pause, unless it closes. */
inline fail_refill() {
  if
  :: me.life == OPEN -> abandon(PAUSED)
  :: else -> abandon(NONE)
  fi
}

inline end_process() {
  me.life = DOWN;
  me.floor = 0;
  me.waiters = 0
}

/* The JavaScript thread of one instance, with all that can happen to it. */
proctype InstanceThread(byte i) {
  do
  /* A fresh process; or the sequence opened again in the same one (Options::given_below). */
  :: atomic { me.life == DOWN && !restored -> me.life = OPEN; me.given_below = 0 }
  :: atomic { me.life == DOWN && !restored && me.given_below > 0 ->
       me.life = OPEN;
       me.floor = me.given_below }

  /* nextId() */
  :: atomic { me.life == OPEN && has_numbers ->
       check(me.waiters == 0);   /* nobody overtakes a waiter */
       hand_out() }
  :: atomic { me.life == OPEN && !has_numbers && me.waiters < WAITERS -> me.waiters++ }

#ifndef PATIENT
  /* A waiter's time-out. */
  :: atomic { me.waiters > 0 -> me.waiters-- }
#endif

  /* A refill, because somebody waits or as a prefetch: begin_refill(). */
  :: atomic { me.life == OPEN && mine.phase == NONE && me.later_first == me.later_end -> mine.phase = SENT }
#ifndef NO_RETRY   /* break: nothing wakes it after the pause */
  :: atomic { mine.phase == PAUSED -> mine.phase = NONE }
#endif

  /* The answer to a refill: on_refill(). */
  :: atomic { mine.phase == DONE -> take_in() }
#ifdef USE_DOUBTFUL   /* break: the answer is a write-concern error, with a value in it */
  :: atomic { mine.phase == WRITTEN -> take_in() }
#endif
  :: atomic { mine.phase == FAILED -> fail_refill() }
  :: atomic { mine.phase == FULL -> forget(mine, NONE); me.waiters = 0 }
  :: atomic { mine.phase == REWOUND ->
       check(restored);   /* that others give back never looks like a counter set back */
       forget(mine, NONE);
       drop_memory();
       me.waiters = 0 }

  /* No answer within the time-out of one attempt, or an error that leaves the outcome in doubt. */
  :: atomic { may_fail && under_way -> count_fault; fail_refill() }

#ifdef DATED
  /* The clock leaves the period and comes back to it: switch_to() twice. The refill under way is abandoned, the
     memory given back, and what was given is remembered. */
  :: atomic { may_fail && me.life == OPEN ->
       count_fault;
       d_step {
         if
         :: under_way -> send_back(mine.phase, mine.first, mine.end); forget(mine, NONE)
         :: else
         fi
       };
       give_back();
       me.floor = me.given_below }
#endif

  /* close(), and finish_close() when the refill under way has come back. */
  :: atomic { may_fail && me.life == OPEN ->
       count_fault;
       me.life = CLOSING;
       me.waiters = 0;
       if
       :: mine.phase == PAUSED -> mine.phase = NONE
       :: else
       fi }
  :: atomic { me.life == CLOSING && mine.phase == NONE -> give_back(); end_process() }

  /* kill -9: memory and waiters are gone; a request that was sent goes its way. */
  :: atomic { may_fail && me.life != DOWN ->
       count_fault;
       abandon(NONE);
       drop_memory();
       end_process();
       me.given_below = 0 }
  od
}

/* The connection of one instance's refill. Every step may come at any time: that is what makes messages late,
   and lets them overtake one another. */
proctype Refilling(byte i) {
  do
  :: atomic { mine.phase == SENT -> reserve(mine, me.floor) }
  od
}

#define its going_back[i]

/* The connection of a release. */
proctype GoingBack(byte i) {
  do
  :: atomic { its.phase == RELEASE -> release(its); forget(its, NONE) }
#ifdef RELEASE_AGAIN   /* break: carried out, but the answer was lost, and it is sent once more */
  :: atomic { its.phase == RELEASE -> release(its) }
#endif

  /* An abandoned refill (dated): its range is given back when it has come. Its floor does not matter:
     here the counter is not set back (see RESTORE). */
  :: atomic { its.phase == SENT -> reserve(its, 0) }
  :: atomic { its.phase == DONE -> its.phase = RELEASE }
#ifdef RELEASE_DOUBTFUL   /* break: given back though the answer was an error */
  :: atomic { its.phase == WRITTEN -> its.phase = RELEASE }
#endif

  /* Request or answer is lost, the answer is an error, or the process died. */
  :: atomic { its.phase != NONE -> forget(its, NONE) }
  od
}

/* Late reservations. They were sent with a floor, so they are refused while the counter is set back. */
proctype Late() {
  do
  :: atomic { late > 0 -> late-- }
  :: atomic { late > 0 && !restored && counter + 1 <= NUMBERS -> late--; write(counter + 1) }
  :: atomic { late > 0 && !restored && counter + 2 <= NUMBERS -> late--; write(counter + 2) }
  od
}

inline all_written_become(what) {
  for (n : 0 .. INSTANCES - 1) {
    if
    :: refill[n].phase == WRITTEN && what == DONE -> refill[n].phase = DONE
    :: refill[n].phase == WRITTEN && what == FAILED -> forget(refill[n], FAILED)
    :: else
    fi
  }
  for (n : 0 .. GOING_BACK - 1) {
    if
    :: going_back[n].phase == WRITTEN && what == DONE -> going_back[n].phase = DONE
    :: going_back[n].phase == WRITTEN && what == FAILED -> forget(going_back[n], NONE)
    :: else
    fi
  }
}

#ifdef FAILOVER
/* The servers behind the counter. Writes become durable in their order, any number at once. A primary that
   was cut off and goes on for a while is the same as one whose writes are undone in the end. */
proctype ReplicaSet() {
  do
  :: atomic { doubtful -> d_step { durable = counter; all_written_become(DONE); doubtful = false } }
  :: atomic { doubtful && may_fail ->
       count_fault;
       d_step { counter = durable; all_written_become(FAILED); doubtful = false } }
  od
}
#endif

#ifdef RESTORE
#if defined(FAILOVER) || defined(DATED)
#error "RESTORE goes alone"
#endif

/*
 * Sets the counter back to any older value (0: deletes it), and mends it: docs/operations.md, "Restore a backup".
 * A fresh process cannot know of it, nor one that was given lower numbers only. So the promise holds, and
 * this is done, only where
 *   - every process that runs was given numbers above that value, by the store;
 *   - no request from before is carried out after it: the server was stopped, and its connections cut;
 *   - nobody starts until every process was stopped, no release of theirs is on its way any more, and the
 *     counter was moved past the largest id. (Break MEND_EARLY: a release sent before that, by a process that
 *     had not noticed yet, comes when the counter stands by chance where that release expects it.)
 */
#if INSTANCES != 2 || GOING_BACK != 1
#error "RESTORE is made for two instances and one release at a time"
#endif
#define all_down (instance[0].life == DOWN && instance[1].life == DOWN)
#ifdef MEND_EARLY
#define may_mend all_down
#else
#define may_mend (all_down && going_back[0].phase == NONE)
#endif

/* The end of the last range that instance n was given, by what it holds and gave. */
#define its_last_end \
  (instance[n].later_end > 0 -> instance[n].later_end : \
    (instance[n].end > 0 -> instance[n].end : instance[n].given_below))

/* Below this the counter may be set back to. */
inline find_lowest_end() {
  older = counter;
  for (n : 0 .. INSTANCES - 1) {
    if
    :: instance[n].life != DOWN && its_last_end < older -> older = its_last_end
    :: else
    fi
  }
  n = 0
}

inline set_back_below(limit) {
  counter = limit - 1;
  for (n : 0 .. INSTANCES - 1) {
    if
    :: refill[n].phase == SENT -> refill[n].phase = FAILED
    :: else
    fi
  }
  for (n : 0 .. GOING_BACK - 1) {
    forget(going_back[n], NONE)
  }
  late = 0
}

proctype Operator() {
  byte older;

  do
  :: atomic { !restored ->
       d_step { find_lowest_end() };
       if
       :: older > 0 ->
          do
          :: older > 1 -> older--
          :: break
          od;
          restored = true;
          d_step { set_back_below(older) }
       :: else
       fi;
       older = 0 }
  :: atomic { restored && may_mend ->
       restored = false;
       if
       :: counter < given_end -> counter = given_end
       :: else
       fi }
  od
}
#endif

init {
  atomic {
    for (n : 0 .. INSTANCES - 1) {
      instance[n].life = DOWN;
      refill[n].phase = NONE;
      run InstanceThread(n);
      run Refilling(n)
    }
    for (n : 0 .. GOING_BACK - 1) {
      going_back[n].phase = NONE;
      run GoingBack(n)
    }
    run Late();
#ifdef FAILOVER
    run ReplicaSet();
#endif
#ifdef RESTORE
    run Operator()
#endif
  }
}

#ifdef PATIENT
/* For all instances: they are alike. */
ltl waiters_end { [] (instance[0].waiters > 0 -> <> (instance[0].waiters == 0)) }
ltl close_ends { [] (instance[0].life == CLOSING -> <> (instance[0].life == DOWN)) }
#endif
