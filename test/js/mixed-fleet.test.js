'use strict';

const { runTogether } = require('../support/processes');
const { scaled } = require('../support/scale');
const { describeMongo } = require('../support/stores');

const NAME = 'myseq';
const IDS_OF_EACH = scaled(1000, 20_000);
const BLOG = { script: 'callback-worker.js', library: 'blog', together: 25 };
const CALLBACK = { script: 'callback-worker.js', library: 'nextid', together: 25 };
const PROMISE = { script: 'id-worker.js', options: { start: 1000 }, together: 25, end: 'close' };

describeMongo('processes with the code of the blog and processes with nextid on one counter', (fixture) => {
  const jobs = (url, fleet, count) => fleet.map((job) => ({ ...job, url, name: NAME, count }));
  const idsOf = (reports) => reports.flatMap((report) => report.ids);

  test('all ids are distinct, and the document stays as the blog knows it', async () => {
    const url = fixture.freshUrl();
    const [{ ids: first }] = await runTogether(jobs(url, [BLOG], 1));
    expect(first).toEqual([1000]);

    const fleet = [BLOG, BLOG, BLOG, CALLBACK, CALLBACK, PROMISE];
    const ids = idsOf(await runTogether(jobs(url, fleet, IDS_OF_EACH)));
    expect(ids).toHaveLength(6 * IDS_OF_EACH);
    expect(new Set([...first, ...ids]).size).toBe(ids.length + 1);

    const document = await fixture.collection(url).findOne({ _id: NAME });
    const { indexReturned, ...others } = document; // which programs of the blog leave alone
    expect(others).toEqual({ _id: NAME, index: expect.any(Number) });
    expect(document.index).toBeGreaterThan(ids.reduce((a, b) => Math.max(a, b)));
  });

  test('the code of the blog goes on with a counter that nextid made', async () => {
    const url = fixture.freshUrl();
    const [{ ids: ours }] = await runTogether(jobs(url, [CALLBACK], 15));
    const [{ ids: blogs }] = await runTogether(jobs(url, [BLOG], 15));
    expect(ours[0]).toBe(1000);
    expect(new Set([...ours, ...blogs]).size).toBe(30);
    expect(blogs[0]).toBe(1 + ours.at(-1)); // close() gave the rest back
  });
});
