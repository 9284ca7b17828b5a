'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { clock } = require('../../lib/clock');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { clockOffAsIn, clockOffBy } = require('../support/fake-time');
const { needs } = require('../support/needs');
const { closeOutages, heldStore } = require('../support/outages');
const { runTogether } = require('../support/processes');
const { runProgram } = require('../support/run-program');
const { scaled } = require('../support/scale');
const { describeMongo, describeStores } = require('../support/stores');
const { until } = require('../support/until');

confirmAtOnce();

const NAME = 'trace';
const KIND = 'time-stamped';
const HOUR = 3_600_000; // ms

afterEach(closeOutages);

// What an id of the default format says, read by nothing of the package.
function read(id) {
  const [, YYYY, MM, DD, hh, mm, ss, micro, digits] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})(\d*)$/.exec(id);
  const microseconds = 1000 * Date.UTC(YYYY, MM - 1, DD, hh, mm, ss) + Number(micro);
  return { microseconds, slot: BigInt(`${microseconds}${digits}`) };
}

const timeOf = (id) => read(id).microseconds / 1000; // ms

function expectDistinct(ids) {
  expect(new Set(ids).size).toBe(ids.length);
}

function expectGrowing(ids) {
  const fallen = ids.findIndex((id, i) => i > 0 && id <= ids[i - 1]);
  expect(ids.slice(Math.max(0, fallen - 1), fallen + 1)).toEqual([]); // the pair, if there is one
}

// All slots from the first to the last: none left out, none twice.
function expectUnbroken(ids) {
  const slots = ids.map((id) => read(id).slot);
  expect(slots).toEqual(slots.map((_, i) => slots[0] + BigInt(i)));
}

const idsOf = ({ calls }) => calls.flatMap(([ids]) => ids);

describeStores('8 processes that take time-stamped ids, one an hour ahead and one behind', (fixture) => {
  const PART = scaled(1, 20);
  const IDS_OF_EACH = 2100 * PART; // many: 10^6 in the three runs together
  const LOADS = [
    { batch: 210 * PART, together: 1, env: clockOffBy('+1h'), maxSkew: 2 * HOUR },
    { batch: 1, together: 100 * PART, env: clockOffBy('-1h') },
    { batch: 1, together: 50 * PART },
    { batch: 1, together: 150 * PART },
    { batch: 3, together: 35 * PART },
    { batch: 50 * PART, together: 3 },
    { batch: 210 * PART, together: 1 },
    { batch: 525 * PART, together: 2 },
  ];

  const { test: testWithClock } = needs('faketime');

  const lengths = scaled([2], [0, 1, 2]);
  testWithClock.each(lengths)('%d digits: all are distinct, and grow in each process', async (digits) => {
    const url = fixture.freshUrl();
    const reports = await runTogether(LOADS.map(({ maxSkew, ...load }) => ({
      script: 'time-stamped-worker.js', url, name: NAME, timestamp: { digits, maxSkew }, count: IDS_OF_EACH,
      ...load,
    })));
    const lists = reports.map(idsOf);
    for (const ids of lists) {
      expect(ids).toHaveLength(IDS_OF_EACH);
      expectGrowing(ids);
    }
    const all = lists.flat();
    expectDistinct(all);
    expect(all.every((id) => id.length === 20 + digits)).toBe(true);
    const last = all.reduce((a, b) => (a > b ? a : b));
    const { slot } = await fixture.readCounter(url, KIND, NAME);
    expect(BigInt(slot)).toBe(read(last).slot); // the counter is the last slot given
    for (const { stats } of reports) expect(stats).toMatchObject({ lost: 0, inMemory: 0, failures: 0 });
  });
});

describeStores('processes whose clocks are right', (fixture) => {
  const lengths = scaled([2], [0, 2, 3]);
  test.each(lengths)('%d digits: the time part is within 1 s of the moment of the call', async (digits) => {
    const url = fixture.freshUrl();
    const job = { script: 'time-stamped-worker.js', url, name: NAME, timestamp: { digits } };
    const reports = await runTogether([
      { ...job, count: scaled(50, 200), batch: 1, together: 1 },
      { ...job, count: scaled(1000, 5000), batch: 1, together: 50 },
      { ...job, count: scaled(1000, 5000), batch: 20, together: 5 },
      { ...job, count: scaled(1000, 5000), batch: 500, together: 1 },
    ]);
    expectDistinct(reports.flatMap(idsOf));
    for (const report of reports) {
      expectGrowing(idsOf(report));
      const off = report.calls.flatMap(([ids, before, after]) => ids.filter((id) => (
        timeOf(id) < before - 1000 || timeOf(id) > after + 1000)));
      expect(off).toEqual([]);
    }
  });
});

describeStores('a clock that is wrong', (fixture) => {
  const { test: testWithClock } = needs('faketime');

  // A process takes 100 ids. What comes of it: { ids, now, ahead }, or { code, message } of its error.
  async function takeWithClock(url, env, timestamp = { maxSkew: 2 * HOUR }) {
    const program = async (url, name, timestamp) => {
      const store = require('nextid').open(url);
      const trace = store.sequence(name, { timestamp });
      const outcome = await trace.nextIds(100)
        .then((ids) => ({ ids, now: Date.now(), ahead: trace.stats().ahead }))
        .catch(({ code, message }) => ({ code, message }));
      console.log(JSON.stringify(outcome));
      await store.close();
    };
    const { stdout, stderr, code } = await runProgram(program, [url, NAME, timestamp], { env });
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    return JSON.parse(stdout);
  }

  testWithClock('is followed when it is ahead; those who come after go on from there', async () => {
    const url = fixture.freshUrl();
    const right = await takeWithClock(url, {});
    const early = await takeWithClock(url, clockOffBy('+1h'));
    const rightAgain = await takeWithClock(url, {});
    const late = await takeWithClock(url, clockOffBy('-1h'));
    expectGrowing([right, early, rightAgain, late].flatMap(({ ids }) => ids));
    expect(early.now - right.now).toBeGreaterThanOrEqual(HOUR); // libfaketime was at work
    expect(timeOf(early.ids[0])).toBeGreaterThan(timeOf(right.ids[0]) + HOUR);
    expectUnbroken([...early.ids, ...rightAgain.ids, ...late.ids]); // until the clock is there
    expect([right.ahead, early.ahead]).toEqual([0, 0]);
    expect(rightAgain.ahead).toBeGreaterThan(HOUR / 2);
    expect(late.ahead).toBeGreaterThan(HOUR + HOUR / 2);
  });

  testWithClock('and is set back and forward by an hour while a process runs: ids grow', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-clock-'));
    const file = path.join(folder, 'clock');
    const setBack = async (url, name, file) => {
      const { writeFileSync } = require('node:fs');
      const store = require('nextid').open(url);
      const trace = store.sequence(name, { timestamp: true });
      const rounds = [];
      for (const offset of ['+0', '-3600', '-1800', '-7200', '+0', '-3600']) {
        writeFileSync(file, offset);
        const ids = [await trace.nextId(), ...await trace.nextIds(500), await trace.nextId()];
        rounds.push({ ids, now: Date.now(), ahead: trace.stats().ahead });
      }
      await store.close();
      console.log(JSON.stringify(rounds));
    };
    fs.writeFileSync(file, '+0');
    const { stdout, stderr } =
      await runProgram(setBack, [fixture.freshUrl(), NAME, file], { env: clockOffAsIn(file) });
    fs.rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    const rounds = JSON.parse(stdout);
    expectGrowing(rounds.flatMap(({ ids }) => ids));
    const [first, second, third, fourth, fifth] = rounds;
    expect(second.now).toBeLessThan(first.now - HOUR / 2); // libfaketime was at work
    expectUnbroken([...second.ids, ...third.ids, ...fourth.ids]);
    expect(second.ahead).toBeGreaterThan(HOUR / 2);
    expect(fourth.ahead).toBeGreaterThan(HOUR + HOUR / 2);
    expect(timeOf(fifth.ids[0])).toBeGreaterThan(timeOf(fourth.ids.at(-1)));
    expect(fifth.ahead).toBe(0);
  });

  if (fixture.kind === 'mongodb') {
    testWithClock('is refused where it is further ahead of the server\'s than maxSkew', async () => {
      const url = fixture.freshUrl();
      await takeWithClock(url, {});
      const before = await fixture.readCounter(url, KIND, NAME);
      for (const [timestamp, allowed] of [[true, '10.000 s'], [{ maxSkew: 1000 }, ' 1.000 s']]) {
        const { code, message } = await takeWithClock(url, clockOffBy('+1h'), timestamp);
        expect(code).toBe('ERR_NEXTID_CLOCK_AHEAD');
        expect(message).toMatch(/clock of this machine .* 3[56]\d\d\.\d+ s ahead .*'trace'.*maxSkew/);
        expect(message).toContain(allowed);
      }
      expect(await fixture.readCounter(url, KIND, NAME)).toEqual(before);
      expectGrowing((await takeWithClock(url, {}, true)).ids);
    });

    testWithClock('is refused also where there is no counter yet: none is made', async () => {
      const url = fixture.freshUrl();
      const { code } = await takeWithClock(url, clockOffBy('+1h'), true);
      expect(code).toBe('ERR_NEXTID_CLOCK_AHEAD');
      expect(await fixture.readCounter(url, KIND, NAME)).toBeUndefined();
    });

    testWithClock('is not refused for being behind, or for ids that are ahead', async () => {
      const url = fixture.freshUrl();
      await takeWithClock(url, clockOffBy('+1h'));
      const { ids } = await takeWithClock(url, clockOffBy('-1h'), { maxSkew: 0 });
      expect(ids).toHaveLength(100);
    });
  }
});

describeStores('a time-stamped sequence', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  const traceOf = (timestamp) => store.sequence(NAME, { timestamp });
  const readSlot = async () => BigInt((await fixture.readCounter(url, KIND, NAME)).slot);

  test.each([0, 1, 2, 3, 4])('with %d digits gives the time, to be read back', async (digits) => {
    const trace = traceOf(digits === 2 ? true : { digits });
    const before = Date.now();
    const id = await trace.nextId();
    const after = Date.now();
    expect(id).toMatch(new RegExp(`^\\d{${20 + digits}}$`));
    expect(Math.floor(timeOf(id))).toBeGreaterThanOrEqual(before);
    expect(timeOf(id)).toBeLessThan(after + 1);
    const { time, microseconds, digit } = trace.parse(id);
    expect(microseconds).toBe(read(id).microseconds);
    expect(time).toEqual(new Date(Math.floor(timeOf(id))));
    expect(digit).toBe(Number(id.slice(20) || 0));
    expect(trace.stats().ahead).toBe(0);
  });

  test('is not ahead of a clock that shows the same millisecond', async () => {
    const trace = traceOf(true);
    const time = timeOf(await trace.nextId());
    const now = jest.spyOn(clock, 'now');
    try {
      expect(now.mockReturnValue(Math.floor(time)) && trace.stats().ahead).toBe(0);
      expect(now.mockReturnValue(Math.floor(time) - 1) && trace.stats().ahead).toBe(1);
    } finally {
      now.mockRestore();
    }
  });

  test.each([0, 1, 2, 3, 4])('with %d digits carries over into the next microseconds', async (digits) => {
    const trace = traceOf({ digits });
    const ids = await trace.nextIds(25_000);
    expectGrowing(ids);
    expectUnbroken(ids);
    const epoch = digits === 4 ? BigInt(Date.UTC(2020)) * 1000n * 10_000n : 0n;
    expect(await readSlot()).toBe(read(ids.at(-1)).slot - epoch);
    expectGrowing([...ids, ...await trace.nextIds(25_000), await trace.nextId()]);
  });

  test('with 4 digits goes on growing in 4 processes', async () => {
    const load = { timestamp: { digits: 4 }, count: scaled(2000, 10_000), batch: 100, together: 5 };
    const job = { script: 'time-stamped-worker.js', url, name: NAME, ...load };
    const lists = (await runTogether(new Array(4).fill(job))).map(idsOf);
    for (const ids of lists) expectGrowing(ids);
    expectDistinct(lists.flat());
  });

  test('runs ahead of the clock where the digits do not hold so many ids, as stats() shows', async () => {
    const trace = traceOf({ digits: 0 });
    const { first, last, count } = await trace.reserve(1_000_000_000);
    expect(count).toBe(1_000_000_000);
    expect(timeOf(last) - timeOf(first)).toBeCloseTo(999_999.999, 3);
    const { ahead } = trace.stats();
    expect(ahead).toBeLessThanOrEqual(1_000_000);
    expect(ahead).toBeGreaterThan(900_000);
    expectGrowing([last, await trace.nextId()]);
  });

  test('reserve() gives slots in a row, which nobody else gets', async () => {
    const trace = traceOf(true);
    const before = await trace.nextId();
    const [block, id, other] = await Promise.all([trace.reserve(1000), trace.nextId(), trace.reserve(3)]);
    expect(block.count).toBe(1000);
    expect(read(block.last).slot - read(block.first).slot).toBe(999n);
    expect(read(other.last).slot - read(other.first).slot).toBe(2n);
    expect(block.first > before && other.first > before).toBe(true);
    const overlap = (a, b) => a.first <= b.last && b.first <= a.last;
    const single = { first: id, last: id };
    expect([overlap(block, other), overlap(block, single), overlap(other, single)]).not.toContain(true);
  });

  test('ready() gives no slot', async () => {
    const trace = traceOf(true);
    await trace.ready();
    await trace.ready();
    expect(trace.stats()).toMatchObject({ handedOut: 0, inMemory: 0, lost: 0 });
    const slot = await readSlot();
    const before = Date.now();
    const id = await trace.nextId();
    expect(read(id).slot).toBeGreaterThan(slot);
    expect(timeOf(id)).toBeGreaterThanOrEqual(before);
  });

  test('gives exactly as many slots as are asked for, and keeps none', async () => {
    const trace = traceOf(true);
    const ids = await Promise.all(Array.from({ length: 1000 }, () => trace.nextId()));
    expectGrowing(ids);
    expect(await readSlot()).toBe(read(ids.at(-1)).slot);
    for (let i = 0; i < 3; i++) expect(trace.tryNextId()).toBeUndefined();
    expect(await readSlot()).toBe(read(ids.at(-1)).slot);
    expect(trace.stats()).toMatchObject({ handedOut: 1000, inMemory: 0, lost: 0, step: 0, refilling: false });
  });

  test('can be iterated over', async () => {
    const ids = [];
    for await (const id of traceOf({ digits: 1 })) {
      ids.push(id);
      if (ids.length === 5) break;
    }
    expectGrowing(ids);
  });

  test('shows its ids in another time zone, and reads them back', async () => {
    const [utc, east] = [traceOf(true), open(url)];
    const there = east.sequence('east', { timestamp: { timeZone: '+08:00' } });
    const before = Date.now();
    const [id, shifted] = [await utc.nextId(), await there.nextId()];
    const later = read(shifted).microseconds - read(id).microseconds - 8 * HOUR * 1000;
    expect(later).toBe(there.parse(shifted).microseconds - utc.parse(id).microseconds);
    expect(there.parse(shifted).time.getTime()).toBeGreaterThanOrEqual(before);
    expect(there.parse(shifted).time.getTime()).toBeLessThanOrEqual(Date.now());
    await east.close();
  });

  test('writes them as the format says, and reads them back', async () => {
    const trace = traceOf({ digits: 3, format: 'T{YYYY}-{MM}-{DD} {hh}:{mm}:{ss}.{ffffff}/{digits}!' });
    const ids = await trace.nextIds(3000);
    expect(ids[0]).toMatch(/^T\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\/\d{3}!$/);
    expectGrowing(ids);
    expectUnbroken(ids.map((id) => id.replace(/\D/g, '')));
    const [id] = ids;
    const iso = `${id.slice(1, 11)}T${id.slice(12, 24)}Z`;
    const microseconds = Date.parse(`${iso.slice(0, 19)}Z`) * 1000 + Number(id.slice(21, 27));
    expect(trace.parse(id)).toEqual({ time: new Date(iso), microseconds, digit: Number(id.slice(28, 31)) });
    const error = expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' });
    expect(() => trace.parse(id.slice(1))).toThrow(error);
  });

  // The slots that others were given would read as the times of earlier ones.
  test('with another time zone than its counter is an error that names both', async () => {
    const east = traceOf({ timeZone: '+08:00' });
    const id = await east.nextId();
    const before = await fixture.readCounter(url, KIND, NAME);
    const others = open(url);
    for (const timeZone of ['UTC', '+09:00', '-08:00']) {
      const wrong = others.sequence(NAME, { timestamp: { timeZone } });
      const message = expect.stringMatching(/'trace'.*timeZone: '\+08:00'.*timeZone: '.*timeZone: '\+08:00'/);
      await expect(wrong.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_OPTIONS_CONFLICT', message });
      await wrong.close();
    }
    expect(await fixture.readCounter(url, KIND, NAME)).toEqual(before);
    expectGrowing([id, await others.sequence(NAME, { timestamp: { timeZone: '+08:00' } }).nextId()]);
    expect(await others.list()).toMatchObject([{ name: NAME, digits: 2, timeZone: '+08:00' }]);
    await others.close();
  });

  test('a time zone of no offset is UTC', async () => {
    await traceOf({ timeZone: '-00:00' }).nextId();
    expect(await store.list()).toMatchObject([{ timeZone: 'UTC' }]);
  });

  test('with other digits than its counter is an error that names both', async () => {
    const id = await traceOf({ digits: 2 }).nextId();
    const before = await fixture.readCounter(url, KIND, NAME);
    const others = open(url);
    for (const digits of [3, 4, 0]) {
      const wrong = others.sequence(NAME, { timestamp: { digits } });
      const error = {
        code: 'ERR_NEXTID_OPTIONS_CONFLICT',
        message: expect.stringMatching(new RegExp(`'${NAME}'.*digits: 2.*digits: ${digits}.*digits: 2`)),
      };
      for (const call of [wrong.nextId(), wrong.reserve(2), wrong.ready()]) {
        await expect(call).rejects.toMatchObject(error);
      }
      await wrong.close();
    }
    expect(await fixture.readCounter(url, KIND, NAME)).toEqual(before);
    expectGrowing([id, await others.sequence(NAME, { timestamp: true }).nextId()]);
    await others.close();
  });

  test('is shown by list()', async () => {
    const ids = await traceOf({ digits: 1 }).nextIds(7);
    const slots = read(ids.at(-1)).slot + 1n;
    const next = slots <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(slots) : slots;
    expect(await store.list()).toEqual([{ name: NAME, kind: KIND, digits: 1, timeZone: 'UTC', next }]);
  });
});

describeStores('the counter of a time-stamped sequence', (fixture) => {
  let url;
  let store;
  let trace;
  let given;
  let slot;

  beforeEach(async () => {
    url = fixture.freshUrl();
    store = open(url);
    trace = store.sequence(NAME, { timestamp: true });
    given = await trace.nextIds(10);
    ({ slot } = await fixture.readCounter(url, KIND, NAME));
  });

  afterEach(() => store.close());

  const writeSlot = (value, digits = 2) => fixture.writeCounter(url, KIND, NAME, { slot: value, digits });

  async function expectAllCallsToReject(error) {
    const calls = [trace.nextId(), trace.nextIds(3), trace.reserve(2)];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(error)));
    expect(trace.stats()).toMatchObject({ waiters: 0, inMemory: 0, lastError: error });
  }

  const sequences = [
    ['that goes on', () => {}],
    ['that was closed and is opened again', async () => {
      await trace.close();
      trace = store.sequence(NAME, { timestamp: true });
    }],
  ];
  test.each(sequences)('is missed, if it is gone, by a sequence %s', async (_, reopen) => {
    await fixture.removeCounter(url, KIND, NAME);
    await reopen();
    const code = 'ERR_NEXTID_SEQUENCE_MISSING';
    await expectAllCallsToReject({ code, message: expect.stringMatching(/'trace'.* is gone/) });
    expect(await fixture.readCounter(url, KIND, NAME)).toBeUndefined();
    await writeSlot(slot);
    expectGrowing([...given, await trace.nextId()]);
  });

  test('that was set back is refused until it is mended', async () => {
    await writeSlot(slot - 5n);
    await expectAllCallsToReject({
      code: 'ERR_NEXTID_SEQUENCE_REWOUND', message: expect.stringMatching(/'trace'.* stands at /),
    });
    expect(await fixture.readCounter(url, KIND, NAME)).toMatchObject({ slot: slot - 5n });
    await writeSlot(slot);
    expectGrowing([...given, await trace.nextId()]);
  });

  test('that was set forward is followed', async () => {
    const hourOfSlots = BigInt(HOUR) * 1000n * 100n;
    await writeSlot(slot + hourOfSlots);
    const id = await trace.nextId();
    expect(read(id).slot).toBe(slot + hourOfSlots + 1n);
    expect(trace.stats().ahead).toBeGreaterThan(HOUR / 2);
  });

  test.each([
    ...(fixture.isSql ? [] : [['slot', 'late'], ['slot', 1.5]]), // which its column cannot hold
    ['slot', -1], ['digits', 'two'], ['digits', 5],
  ])('whose %s is %p is refused by name, left as it is, and shown by list()', async (field, value) => {
    const damaged = { slot: 5, digits: 2, [field]: value };
    await fixture.writeCounter(url, KIND, NAME, damaged);
    const code = 'ERR_NEXTID_COUNTER_INVALID';
    await expectAllCallsToReject({ code, message: expect.stringMatching(/'trace'.* holds .*/) });
    const { message } = trace.stats().lastError;
    expect(message).toContain(String(value));
    expect(message).toContain(field);
    expect(await fixture.readCounter(url, KIND, NAME)).toEqual(damaged);
    const [counter] = await store.list();
    expect(counter).toMatchObject({ next: undefined, problem: expect.stringContaining(String(value)) });
    await writeSlot(slot);
    expectGrowing([...given, await trace.nextId()]);
  });

  test('at the end of the slots is refused', async () => {
    await writeSlot(2n ** 63n - 10n);
    await expectAllCallsToReject({ code: 'ERR_NEXTID_ID_OVERFLOW' });
  });
});

describeMongo('a document of a time-stamped sequence', (fixture) => {
  const { Double, Int32, Long } = require('mongodb');

  test('holds an int64 and, in digits, an int32', async () => {
    const url = fixture.freshUrl();
    const store = open(url);
    const id = await store.sequence(NAME, { timestamp: true }).nextId();
    const counters = fixture.collection(url, 'counters');
    expect(await counters.findOne({ _id: NAME }, { promoteValues: false })).toEqual({
      _id: NAME, slot: Long.fromBigInt(read(id).slot), digits: new Int32(2),
    });
    await store.close();
  });

  test('may hold doubles, as a shell writes them', async () => {
    const url = fixture.freshUrl();
    const ahead = (Date.now() + HOUR) * 1000;
    const document = { _id: NAME, slot: new Double(ahead), digits: new Double(0) };
    await fixture.collection(url, 'counters').insertOne(document);
    const store = open(url);
    const ids = await store.sequence(NAME, { timestamp: { digits: 0 } }).nextIds(3);
    expect(ids.map((id) => read(id).microseconds)).toEqual([ahead + 1, ahead + 2, ahead + 3]);
    await store.close();
  });
});

describeStores('a time-stamped sequence with maxAge', (fixture) => {
  const MAX_AGE = 50; // ms
  let url;
  let store;
  let trace;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
    trace = store.sequence(NAME, { timestamp: { maxAge: MAX_AGE } });
  });

  afterEach(() => store.close());

  // All that is in memory.
  async function growOld() {
    await until(() => !trace.stats().refilling);
    await sleep(MAX_AGE + 10);
  }

  // Takes an id as tryNextId() does, and looks at its age when the turn of the event loop began: the ids of a
  // burst share a reading of the clock, and the process may stand still within one.
  function tryAndCheck(now = Date.now()) {
    const id = trace.tryNextId();
    if (id !== undefined) expect(now - timeOf(id)).toBeLessThanOrEqual(MAX_AGE);
    return id;
  }

  test('gives ids from memory, none of them too old', async () => {
    const ids = [await trace.nextId()];
    const end = Date.now() + 20 * MAX_AGE;
    await until(() => {
      const now = Date.now();
      for (let i = 0; i < 50; i++) {
        const id = tryAndCheck(now);
        if (id !== undefined) ids.push(id);
      }
      return Date.now() >= end && trace.stats().refills < ids.length / 10;
    });
    expectGrowing(ids);
  });

  test('throws away what was left alone for too long', async () => {
    await trace.nextId();
    const { inMemory } = trace.stats();
    expect(inMemory).toBeGreaterThan(0);
    await growOld();
    expect(tryAndCheck()).toBeUndefined();
    const { lost } = trace.stats();
    expect(lost).toBeGreaterThanOrEqual(inMemory);
  });

  test.each([
    ['nextId()', () => trace.nextId()],
    ['nextIds()', async () => (await trace.nextIds(3))[0]],
    ['reserve()', async () => (await trace.reserve(3)).first],
  ])('%s after a pause gets a new time', async (_, take) => {
    await trace.nextId();
    await growOld();
    const before = Date.now();
    expect(timeOf(await take())).toBeGreaterThanOrEqual(before);
  });

  test('ids of 4 processes are distinct, grow, and are not too old', async () => {
    const maxAge = 300;
    const job = { script: 'time-stamped-worker.js', url, name: NAME, timestamp: { maxAge } };
    const loads = [[1, 1], [1, 10], [7, 1], [1, 1]];
    const reports = await runTogether(loads.map(([batch, together]) => (
      { ...job, duration: 1000, batch, together })));
    const lists = reports.map(idsOf);
    expectDistinct(lists.flat());
    for (const ids of lists) expectGrowing(ids);
    for (const { calls, stats } of reports) {
      const fromMemory = calls.filter(([, , , waited]) => !waited);
      expect(fromMemory.length).toBeGreaterThan(0);
      // In a burst, up to 100 ids share a reading of the clock.
      const old = calls.flatMap(([ids, , , waited], i) => {
        const [, read] = calls[Math.max(0, i - 100)];
        return waited ? [] : ids.filter((id) => timeOf(id) < read - maxAge);
      });
      expect(old).toEqual([]);
      expect(stats.waits).toBe(calls.length - fromMemory.length);
    }
  });
});

describeStores('a time-stamped sequence whose store answers late', (fixture) => {
  test('close() refuses who waits, and the counter only goes up', async () => {
    const outage = await heldStore(fixture);
    const store = open(outage.url);
    const trace = store.sequence(NAME, { timestamp: true, timeout: 50_000 });
    const given = await trace.nextIds(5);
    await outage.begin();
    const calls = [trace.nextId(), trace.nextIds(3), trace.reserve(1)];
    const refused = calls.map((call) => expect(call).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' }));
    await until(() => trace.stats().refilling);
    const closed = trace.close();
    await Promise.all(refused);
    await outage.end();
    await closed;
    expect(trace.stats()).toMatchObject({ returned: 0, inMemory: 0, handedOut: 5 });
    expectGrowing([...given, await store.sequence(NAME, { timestamp: true }).nextId()]);
    await store.close();
  });
});
