/*
 * The refill and release protocol of one plain counter (native/core/sequence.cpp, holding.cpp and the stores'
 * reserve() and release()), for `spin`; check.sh runs it. The same protocol serves one period of a dated
 * counter; what only that one does is marked "dated".
 *
 * Checked: no number is handed out twice; the ids of one instance grow; nobody overtakes a waiter; an
 * instance is told that its counter was set back only when it was; whoever waits gets a number or an error;
 * a close ends. After each step of the store: the returned ranges lie below the counter, do not overlap, and
 * hold no number that was handed out or that an instance or a message holds.
 *
 * Bounded: the instances, the numbers there are, the numbers of one refill (1 or 2: enough for a range to be
 * taken or given back in part), the returned ranges, the messages on their way that nobody waits for. Not
 * bounded, but for PATIENT: crashes, restarts, time-outs, losses, closes and failovers, in any order, between
 * any two steps.
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
 * Macros. Sizes: INSTANCES, NUMBERS, WAITERS, GOING_BACK, LATE, LISTED. What is added to the model: FAILOVER,
 * DATED, ADVANCE, RESTORE, OLD_VERSION, PATIENT. Breaks, each of which must be found: RELEASE_AGAIN,
 * RELEASE_ALWAYS, RELEASE_DOUBTFUL, APPEND_AGAIN, APPEND_DOUBTFUL, TAKE_COPY, TAKE_ANY, NO_MARK, KEEP_LIST,
 * USE_DOUBTFUL, NO_FLOOR, MEND_EARLY, RANGE_RESTORED, NO_RETRY.
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
#ifndef LISTED
#define LISTED 1       /* returned ranges that the store keeps: 1 or 2 */
#endif

/* OLD_VERSION: the last instance runs a version that knows nothing of returned ranges. */
#ifdef OLD_VERSION
#define is_old(i) (i == INSTANCES - 1)
#else
#define is_old(i) false
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

/* A broken model is to be caught by the duplicate itself, not by what comes before it. (TAKE_ANY gives no
   duplicate; its ids do not grow.) */
#if defined(RELEASE_AGAIN) || defined(RELEASE_ALWAYS) || defined(RELEASE_DOUBTFUL) || \
    defined(APPEND_AGAIN) || defined(APPEND_DOUBTFUL) || defined(TAKE_COPY) || defined(NO_MARK) || \
    defined(KEEP_LIST) || defined(USE_DOUBTFUL) || defined(NO_FLOOR) || defined(MEND_EARLY) || \
    defined(RANGE_RESTORED)
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
  FULL,        /* refused: no numbers left, or the returned ranges are damaged */
  RELEASE,     /* and a request to give [first, end) back: its first write, a compare-and-set */
  OLD_RELEASE, /* the same of an old version: its only write */
  APPEND       /* its second write: the compare-and-set definitely matched nothing */
};

typedef Range {
  byte first;
  byte end
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

byte counter;        /* the store's counter, in the primary: the first number that nobody has */
Range returned[2];   /* ranges to be given again, the lowest first; 0, 0 where there is none */
#if defined(ADVANCE) || defined(RESTORE)
byte advanced;       /* the largest target of an advance() */
#else
#define advanced 0
#endif
#ifdef FAILOVER
byte durable;        /* what a majority has, and what it is after a failover */
Range durable_returned[2];
bool doubtful;       /* the last writes can still be undone */
#endif

Instance instance[INSTANCES];
Call refill[INSTANCES];   /* of each instance */

/* Releases, and abandoned refills (dated), which become releases. Nobody waits for them: whatever the
   outcome of a release is, an instance does nothing about it but end. So here it ends when it has sent it. */
Call going_back[GOING_BACK];

/* Reservations whose instance timed out or died. The store may carry them out at any time, or never; the
   numbers are nobody's. */
byte late;

#ifdef RANGE_RESTORED
bool backed_up;           /* once */
byte backup_counter;
Range backup_returned;
bool got_free[INSTANCES]; /* the instance was given numbers since that the backup has as free */
#endif

short given;      /* bit n: the number n was handed out */
byte given_end;   /* above all of these */
bool restored;    /* the counter was set back, and nobody has mended that */

hidden byte n;    /* for loops within one d_step */
hidden short owned;

/* --- the store: one atomic step for each request */

#ifdef FAILOVER
#define is_written WRITTEN
#define wrote doubtful = true
#else
#define is_written DONE   /* SQLite: on disk before it answers */
#define wrote skip
#endif

inline copy(to, from) {
  to.first = from.first;
  to.end = from.end
}

#define bits(range) ((1 << range.end) - (1 << range.first))
#define listed(r, from) (returned[r].end > 0 && returned[r].first >= from)
#define damaged (returned[0].end > counter || returned[1].end > counter || \
                 (bits(returned[0]) & bits(returned[1])))

/* owned = what the instances hold or are being brought */
inline find_owned() {
  owned = 0;
  for (n : 0 .. INSTANCES - 1) {
    owned = owned | bits(instance[n]) | ((1 << instance[n].later_end) - (1 << instance[n].later_first)) |
      bits(refill[n])
  }
}

inline check_returned() {
  d_step {
    if
    :: !restored ->
       find_owned();
       for (n : 0 .. GOING_BACK - 1) {
         owned = owned | bits(going_back[n])
       }
       check(!damaged);
       check(((bits(returned[0]) | bits(returned[1])) & (given | owned)) == 0);
       owned = 0
    :: else
    fi;
    n = 0
  }
}

inline drop_returned(r) {
  if
  :: r == 0 -> copy(returned[0], returned[1])
  :: else
  fi;
  returned[1].first = 0;
  returned[1].end = 0
}

inline clear_returned() {
  drop_returned(1);
  drop_returned(0)
}

inline clip_returned(r, at) {
  if
  :: returned[r].end > 0 && returned[r].end <= at -> drop_returned(r)
  :: returned[r].end > at && returned[r].first < at -> returned[r].first = at
  :: else
  fi
}

inline take(call, r) {
  if
  :: damaged -> call.phase = FULL
  :: else ->
     call.phase = is_written;
     call.first = returned[r].first;
     if
     :: call.end = returned[r].first + 1
     :: returned[r].first + 2 <= returned[r].end -> call.end = returned[r].first + 2
     fi;
#ifndef TAKE_COPY   /* break: the range stays in the list */
     d_step { clip_returned(r, call.end) };
#endif
     wrote
  fi
}

/* `from`: takes no returned range below this; NUMBERS: none at all. */
inline reserve(call, at_least, from) {
  if
#ifndef NO_FLOOR   /* break: nobody looks where the counter stands */
  :: counter < at_least -> call.phase = REWOUND
#endif
  :: else ->
     if
     :: listed(0, from) -> take(call, 0)
     :: !listed(0, from) && listed(1, from) -> take(call, 1)
     :: else ->
        if
        :: counter == NUMBERS -> call.phase = FULL
        :: else ->
           call.phase = is_written;
           call.first = counter;
           if
           :: counter++
           :: counter + 2 <= NUMBERS -> counter = counter + 2
           fi;
           call.end = counter;
           wrote
        fi
     fi
  fi;
  check_returned()
}

inline forget(call, becomes) {
  call.phase = becomes;
  call.first = 0;
  call.end = 0
}

#ifdef NO_MARK   /* break: nobody looks whether the counter was advanced past the range */
#define below_mark(call) false
#else
#define below_mark(call) (call.first < advanced)
#endif

/* The first write. */
inline release(call) {
  if
#ifndef RELEASE_ALWAYS   /* break: whether or not somebody reserved after it */
  :: call.phase == OLD_RELEASE && counter != call.end -> forget(call, NONE)
  :: call.phase == RELEASE && (counter != call.end || below_mark(call)) -> call.phase = APPEND
#endif
  :: else ->
     counter = call.first;
     wrote;
#ifdef RELEASE_AGAIN     /* break: the answer was lost, and it is sent once more */
     if
     :: forget(call, NONE)
     :: skip
     fi
#elif defined(APPEND_DOUBTFUL)   /* break: the answer was lost, and it goes on as if nothing had matched */
     if
     :: forget(call, NONE)
     :: call.phase = APPEND
     fi
#else
     forget(call, NONE)
#endif
  fi;
  check_returned()
}

/* The second write. The store drops the oldest range when its list is full; here that may be any of them. */
inline append(call) {
  if
  :: counter < call.end || below_mark(call)
  :: else ->
     if
     :: returned[LISTED - 1].end > 0 -> d_step { drop_returned(0) }
     :: returned[LISTED - 1].end > 0 && LISTED == 2 -> d_step { drop_returned(1) }
     :: else
     fi;
     d_step {
       if
       :: returned[0].end == 0 || call.first < returned[0].first ->
          copy(returned[1], returned[0]);
          copy(returned[0], call)
       :: else -> copy(returned[1], call)
       fi
     };
     wrote
  fi;
#ifdef APPEND_AGAIN   /* break: the answer was lost, and it is sent once more */
  if
  :: forget(call, NONE)
  :: skip
  fi;
#else
  forget(call, NONE);
#endif
  check_returned()
}

/* Within a d_step. */
inline advance(to) {
#ifndef KEEP_LIST   /* break: an old version's advance, or one by hand */
  if
  :: damaged -> clear_returned()
  :: else -> clip_returned(1, to); clip_returned(0, to)
  fi;
#endif
  if
  :: counter < to -> counter = to
  :: else
  fi;
  if
  :: advanced < to -> advanced = to
  :: else
  fi
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

/* Sequence::give_back(): every range. An old version: only the last one, which can end where the counter
   stands. (Where GOING_BACK has no room for two, either may be the one that is lost.) */
inline give_back() {
  if
  :: me.later_first < me.later_end
  :: has_numbers && !(is_old(i) && me.later_first < me.later_end) ->
     d_step { send_back((is_old(i) -> OLD_RELEASE : RELEASE), me.first, me.end) }
  :: else
  fi;
  d_step {
    if
    :: me.later_first < me.later_end ->
       send_back((is_old(i) -> OLD_RELEASE : RELEASE), me.later_first, me.later_end)
    :: else
    fi;
    drop_memory()
  }
}

/* Sequence::on_refill() with a range. */
inline take_in() {
  d_step {
    me.floor = mine.end;
#ifdef RANGE_RESTORED
    if
    :: backed_up && (mine.end > backup_counter || (bits(mine) & bits(backup_returned))) -> got_free[i] = true
    :: else
    fi;
#endif
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
#ifdef RANGE_RESTORED
  got_free[i] = false;
#endif
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
  :: atomic { mine.phase == SENT ->
#ifdef TAKE_ANY   /* break: also a range below those that the instance was given */
       reserve(mine, me.floor, 0)
#else
       reserve(mine, me.floor, (is_old(i) -> NUMBERS : me.floor))
#endif
     }
  od
}

#define its going_back[i]

/* The connection of a release. */
proctype GoingBack(byte i) {
  do
  :: atomic { its.phase == RELEASE || its.phase == OLD_RELEASE -> release(its) }
  :: atomic { its.phase == APPEND -> append(its) }

  /* An abandoned refill (dated): its range is given back when it has come. Its floor does not matter for
     the counter, which is not set back here (see RESTORE), and decides only whether it takes from the list. */
  :: atomic { its.phase == SENT -> reserve(its, 0, 0) }
  :: atomic { its.phase == SENT -> reserve(its, 0, NUMBERS) }
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
  :: atomic { late > 0 && !restored && counter + 1 <= NUMBERS -> late--; counter++; wrote }
  :: atomic { late > 0 && !restored && counter + 2 <= NUMBERS -> late--; counter = counter + 2; wrote }
  :: atomic { late > 0 && !restored && listed(0, 0) ->
       late--;
       if
       :: d_step { clip_returned(0, returned[0].first + 1) }
       :: returned[0].first + 2 <= returned[0].end -> d_step { clip_returned(0, returned[0].first + 2) }
       :: listed(1, 0) -> d_step { clip_returned(1, returned[1].first + 1) }
       :: listed(1, 0) && returned[1].first + 2 <= returned[1].end ->
          d_step { clip_returned(1, returned[1].first + 2) }
       fi;
       wrote }
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
  :: atomic { doubtful ->
       d_step {
         durable = counter;
         copy(durable_returned[0], returned[0]);
         copy(durable_returned[1], returned[1]);
         all_written_become(DONE);
         doubtful = false
       } }
  :: atomic { doubtful && may_fail ->
       count_fault;
       d_step {
         counter = durable;
         copy(returned[0], durable_returned[0]);
         copy(returned[1], durable_returned[1]);
         all_written_become(FAILED);
         doubtful = false
       };
       check_returned() }
  od
}
#endif

#ifdef ADVANCE
#if defined(FAILOVER) || defined(RESTORE) || defined(OLD_VERSION)
#error "ADVANCE goes alone, or with DATED"
#endif

/* advance(), while instances run. The numbers below its target are used by others from then on, but for those
   that an instance holds already: these are the caller's affair. (An old version would undo it, when it
   gives back a range below the target that ends where the counter stands.) */
proctype Operator() {
  byte to;

  do
  :: atomic { advanced < NUMBERS ->
       to = advanced + 1;
       do
       :: to < NUMBERS -> to++
       :: break
       od;
       skip;   /* spin: a loop must not end at a d_step */
       d_step {
         find_owned();
         advance(to);
         given = given | (((1 << to) - 1) & ~owned);
         owned = 0;
         n = 0;
         if
         :: given_end < to -> given_end = to
         :: else
         fi
       };
       to = 0;
       check_returned() }
  od
}
#endif

#ifdef RESTORE
#if defined(FAILOVER) || defined(DATED)
#error "RESTORE goes alone"
#endif

/*
 * Sets the counter back to any older value (0: deletes it), and mends it: docs/operations.md, "Restore a backup".
 * The returned ranges stay as they are (set back by hand), are lost, or become any one below the counter, which
 * is more than a real backup can hold.
 * A fresh process cannot know of it, nor one that was given lower numbers only. So the promise holds, and
 * this is done, only where
 *   - every process that runs was given numbers above that value, by the store;
 *   - no request from before is carried out after it: the server was stopped, and its connections cut;
 *   - nobody starts until every process was stopped, no release of theirs is on its way any more, and the
 *     counter was moved past the largest id by advance(), which drops the returned ranges below it. (Break
 *     MEND_EARLY: a release sent before that, by a process that had not noticed yet, comes when others have
 *     reserved its numbers. Break KEEP_LIST: ranges of the backup were given to others after it was made.)
 *
 * RANGE_RESTORED restores a real backup instead, under a weaker first condition: every process that runs was
 * given numbers that the backup has as free. That is not enough, and a duplicate must be found: the backup has
 * the counter at 2 and the range [0, 1); one process is given 0, another 2; after the restore the first one's
 * floor is 1, so it is not refused, and is given 2.
 */
#if INSTANCES != 2 || GOING_BACK != 1 || (defined(RANGE_RESTORED) && LISTED != 1)
#error "RESTORE is made for two instances and one release at a time"
#endif
#define all_down (instance[0].life == DOWN && instance[1].life == DOWN)
#ifdef MEND_EARLY
#define may_mend all_down
#else
#define may_mend (all_down && going_back[0].phase == NONE)
#endif

/* The end of the last range that instance n was given, by what it holds and gave. */
#define last_end(n) \
  (instance[n].later_end > 0 -> instance[n].later_end : \
    (instance[n].end > 0 -> instance[n].end : instance[n].given_below))

#define may_restore(n) (instance[n].life == DOWN || got_free[n])

/* Below this the counter may be set back to. */
inline find_lowest_end() {
  older = counter;
  for (n : 0 .. INSTANCES - 1) {
    if
    :: instance[n].life != DOWN && last_end(n) < older -> older = last_end(n)
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
  late = 0;
  advanced = 0
}

inline choose_backup(limit) {
  backup.end = limit;
  do
  :: backup.end > 1 -> backup.end--
  :: break
  od;
  do
  :: backup.first + 1 < backup.end -> backup.first++
  :: break
  od;
  skip   /* spin: a loop must not end at a d_step */
}

inline restore_list() {
  clear_returned();
  copy(returned[0], backup);
  backup.first = 0;
  backup.end = 0
}

proctype Operator() {
  byte older;
  Range backup;   /* the returned range of a backup */

  do
#ifdef RANGE_RESTORED
  :: atomic { !backed_up && !restored ->
       backed_up = true;
       backup_counter = counter;
       d_step { copy(backup_returned, returned[0]) } }
  :: atomic { backed_up && !restored && may_restore(0) && may_restore(1) ->
       restored = true;
       d_step {
         set_back_below(backup_counter + 1);
         clear_returned();
         copy(returned[0], backup_returned)
       } }
#else
  :: atomic { !restored ->
       d_step { find_lowest_end() };
       if
       :: older > 0 ->
          do
          :: older > 1 -> older--
          :: break
          od;
          restored = true;
          d_step { set_back_below(older) };
          if
          :: skip
          :: d_step { clear_returned() }
          :: choose_backup(counter);
             d_step { restore_list() }
          fi
       :: else
       fi;
       older = 0 }
#endif
  :: atomic { restored && may_mend ->
       d_step { advance(given_end); restored = false };
       check_returned() }
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
#if defined(ADVANCE) || defined(RESTORE)
    run Operator()
#endif
  }
}

#ifdef PATIENT
/* For all instances: they are alike. */
ltl waiters_end { [] (instance[0].waiters > 0 -> <> (instance[0].waiters == 0)) }
ltl close_ends { [] (instance[0].life == CLOSING -> <> (instance[0].life == DOWN)) }
#endif
