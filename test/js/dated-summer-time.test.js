'use strict';

const { open } = require('../..');
const { countsOf, readId } = require('../support/dated-ids');
const { setClock } = require('../support/set-clock');
const { describeSqlite } = require('../support/stores');

const MINUTE = 60_000; // ms
const HOUR = 60 * MINUTE;
const STEP = 10 * MINUTE;
const IDS_OF_EACH_STEP = 3;

// A day on which the clocks change, when it begins (UTC), how many hours it has, and an hour of it that comes
// twice or is cut short, with its length in minutes.
const DAYS = [
  ['Europe/Berlin', 240331, '2024-03-30T23:00Z', 23, 24033102, 0],
  ['Europe/Berlin', 241027, '2024-10-26T22:00Z', 25, 24102702, 120],
  ['America/New_York', 240310, '2024-03-10T05:00Z', 23, 24031002, 0],
  ['America/New_York', 241103, '2024-11-03T04:00Z', 25, 24110301, 120],
  ['Australia/Lord_Howe', 240407, '2024-04-06T13:00Z', 24.5, 24040701, 90],
  ['Australia/Lord_Howe', 241006, '2024-10-05T13:30Z', 23.5, 24100602, 30],
];

// As another formatter of Intl writes the time: '2024-10-27 02:30:00'.
function shown(zone, ms, digits) {
  const style = { dateStyle: 'short', timeStyle: 'medium' };
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, ...style });
  return Number(format.format(ms).replace(/\D/g, '').slice(2, 2 + digits));
}

describeSqlite('ids of a day on which the clocks change', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  // Walks the clock from an hour before the day to an hour after it. The counts by prefix.
  async function walk(sequence, zone, begin, hours, digits) {
    const ids = [];
    const first = Date.parse(begin) - HOUR;
    for (let ms = first; ms < Date.parse(begin) + (hours + 1) * HOUR; ms += STEP) {
      setClock(ms);
      const some = [await sequence.nextId(), ...await sequence.nextIds(IDS_OF_EACH_STEP - 1)];
      expect(some.map((id) => readId(id).prefix)).toEqual(some.map(() => shown(zone, ms, digits)));
      ids.push(...some);
    }
    expect(new Set(ids).size).toBe(ids.length);
    const counts = countsOf(ids);
    // The clock came to each period once: its counts are 1, 2, 3, … without a gap.
    for (const some of Object.values(counts)) expect(some).toEqual(some.map((_, i) => i + 1));
    return counts;
  }

  test.each(DAYS)('%s, %d: each hour', async (zone, day, begin, hours, hour, minutes) => {
    const orders = store.sequence('orders', { period: 'hour', timeZone: zone, step: 100 });
    const counts = await walk(orders, zone, begin, hours, 8);
    expect(counts[hour] ?? []).toHaveLength(minutes * MINUTE / STEP * IDS_OF_EACH_STEP);
    const { from, to } = orders.parse(`${hour}-0001`);
    expect(to - from).toBe(minutes * MINUTE);
  });

  test.each(DAYS)('%s, %d: the whole day', async (zone, day, begin, hours) => {
    const orders = store.sequence('orders', { period: 'day', timeZone: zone, step: 1000 });
    const counts = await walk(orders, zone, begin, hours, 6);
    expect(counts[day]).toHaveLength(hours * HOUR / STEP * IDS_OF_EACH_STEP);
    const { from, to } = orders.parse(`${day}-0001`);
    expect([from, to]).toEqual([new Date(begin), new Date(Date.parse(begin) + hours * HOUR)]);
  });

  test('the hour that comes twice goes on counting when it was left between', async () => {
    const options = { period: 'hour', timeZone: 'Europe/Berlin' };
    const ids = [];
    // 02:30, 02:30 an hour later, set back to the first, and each after a visit to 03:30.
    for (const time of ['00:30', '02:30', '01:30', '02:30', '00:30']) {
      setClock(`2024-10-27T${time}Z`);
      const orders = store.sequence('orders', options);
      ids.push(...await orders.nextIds(2));
      await orders.close();
    }
    expect(countsOf(ids)).toEqual({ 24102702: [1, 2, 3, 4, 5, 6], 24102703: [1, 2, 3, 4] });
  });
});
