'use strict';

// The service's own code throws where nextid has called it, or beside it. The process ends or lives on as
// Node says; no id is given twice, and whoever else waits is served.

const { open } = require('../..');
const { runProgram } = require('../support/run-program');
const { describeStores } = require('../support/stores');

// What each program is given, in a process of its own: `orders` has no number in memory yet, and `give`
// writes an id down at once.
const surroundings = (url) => {
  const { writeSync } = require('node:fs');
  const store = require('nextid').open(url);
  return {
    store, url,
    orders: store.sequence('orders', { step: 3 }),
    give: (id) => writeSync(1, `${id}\n`),
    fail: () => {
      throw new Error('of the service');
    },
  };
};

describeStores('exceptions of the service', (fixture) => {
  // Runs `program` in a process, then takes ids here. Returns how the process ended and the ids it was given.
  async function run(program) {
    const url = fixture.freshUrl();
    const source = `(url) => (${program})((${surroundings})(url))`;
    const { code, signal, stdout, stderr } = await runProgram(source, [url]);
    const ids = stdout.split('\n').slice(0, -1).map(Number);
    const store = open(url);
    const next = await store.sequence('orders').nextIds(5);
    await store.close();
    expect(new Set([...ids, ...next]).size).toBe(ids.length + 5);
    expect(next[0]).toBeGreaterThan(Math.max(...ids));
    return { code, signal, ids, stderr };
  }

  describe('with nobody to catch them they end the process', () => {
    test.each([
      ['in .then()', ({ orders, give, fail }) => {
        orders.nextId().then(give).then(fail);
      }],
      ['after await', async ({ orders, give, fail }) => {
        give(await orders.nextId());
        fail();
      }],
      ['in the callback of next_id', ({ orders, give, fail }) => {
        orders.nextId().then((id) => {
          give(id);
          process.nextTick(fail);
        });
        orders.nextIds(50).then((ids) => ids.forEach(give));
      }],
      ['while a refill is under way', ({ orders, give, fail }) => {
        orders.nextId().then(give);
        orders.nextIds(50).catch(fail);
        setImmediate(fail);
      }],
      ['while numbers are being given back', async ({ store, orders, give, fail }) => {
        give(await orders.nextId());
        store.close();
        fail();
      }],
    ])('%s', async (where, program) => {
      const { code, signal, stderr } = await run(program);
      expect({ code, signal }).toEqual({ code: 1, signal: null });
      expect(stderr).toMatch(/Error: of the service/);
    });

    test('in the handler of uncaught exceptions itself', async () => {
      const { code, stderr } = await run(async ({ orders, give, fail }) => {
        process.on('uncaughtException', fail);
        give(await orders.nextId());
        setImmediate(fail);
      });
      expect(code).toBe(7); // as Node says
      expect(stderr).toMatch(/Error: of the service/);
    });

    test("in a handler of 'exit'", async () => {
      const { code, ids, stderr } = await run(async ({ orders, give, fail }) => {
        process.on('exit', () => {
          for (let id = orders.tryNextId(); id !== undefined; id = orders.tryNextId()) give(id);
          fail();
        });
        give(await orders.nextId());
      });
      expect(code).toBe(1);
      expect(ids).toEqual([1, 2, 3]);
      expect(stderr).toMatch(/Error: of the service/);
    });
  });

  describe('where the service catches them it lives on, and others are served', () => {
    const survivors = { code: 0, signal: null, ids: [1, 2, 3, 4, 5, 6, 7, 8], stderr: '' };

    test('unhandled rejections', async () => {
      expect(await run(({ orders, give, fail }) => {
        process.on('unhandledRejection', () => {});
        for (let i = 0; i < 4; i++) orders.nextId().then(give).then(fail);
        for (let i = 0; i < 4; i++) orders.nextId().then(give);
      })).toEqual(survivors);
    });

    test('uncaught exceptions, between calls', async () => {
      expect(await run(async ({ orders, give, fail }) => {
        process.on('uncaughtException', () => {});
        for (let i = 0; i < 8; i++) {
          orders.nextId().then(give);
          process.nextTick(fail);
          setImmediate(fail);
        }
      })).toEqual(survivors);
    });

    test('of every second call, while the store is asked', async () => {
      expect(await run(({ orders, give, fail }) => {
        process.on('uncaughtException', () => {});
        for (let i = 0; i < 8; i++) {
          orders.nextId().then((id) => {
            give(id);
            if (id % 2 === 0) process.nextTick(fail);
          });
        }
      })).toEqual(survivors);
    });

    test('of listeners of an AbortSignal, before ours and after it', async () => {
      expect(await run(({ orders, give, fail }) => {
        process.on('uncaughtException', () => {});
        const abort = new AbortController();
        abort.signal.addEventListener('abort', fail);
        abort.signal.onabort = fail;
        const cancelled = orders.nextId({ signal: abort.signal });
        abort.signal.addEventListener('abort', fail);
        for (let i = 0; i < 8; i++) orders.nextId().then(give);
        cancelled.then(() => give(-1), (error) => {
          if (error.name !== 'AbortError') give(-2);
        });
        abort.abort();
      })).toEqual(survivors);
    });

    test('of the callbacks of next_id, whether they run at once or later', async () => {
      const { code, ids } = await run(({ url, give, fail }) => {
        process.on('uncaughtException', () => {});
        const { init_id, next_id } = require('nextid/callback')(url, { step: 3 });
        init_id('orders', (error, idstatus) => {
          const ask = (left) => next_id(idstatus, (error, id) => {
            give(id);
            if (left > 1) setImmediate(ask, left - 1);
            fail();
          });
          ask(8);
        });
      });
      expect(code).toBe(0);
      expect(ids).toEqual([1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007]);
    });
  });
});
