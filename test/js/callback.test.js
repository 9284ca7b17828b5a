'use strict';

const { inspect, promisify } = require('node:util');
const { open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { closeOutages, heldStore } = require('../support/outages');
const { runProgram } = require('../support/run-program');
const { served } = require('../support/short-timeouts');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

confirmAtOnce();

afterEach(closeOutages);

describeStores('init_id and next_id', (fixture) => {
  let url;
  const opened = [];

  // The functions, and the same as Promises. All are closed after the test.
  function connect(options, to = url) {
    const { init_id, next_id, close } = callbackInterface(to, options);
    opened.push(close);
    return { init_id, next_id, close, initId: promisify(init_id), nextId: promisify(next_id) };
  }

  async function nextIds({ nextId }, idstatus, n) {
    const ids = [];
    while (ids.length < n) ids.push(await nextId(idstatus));
    return ids;
  }

  beforeEach(() => {
    url = fixture.freshUrl();
  });

  afterEach(() => Promise.all(opened.splice(0).map((close) => close())));

  describe('the counter', () => {
    test('is made by init_id with 1000, and moves on by 10', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      expect(await fixture.read(url, 'myseq')).toBe(1000);
      expect(await nextIds(ids, idstatus, 3)).toEqual([1000, 1001, 1002]);
      expect(await fixture.read(url, 'myseq')).toBe(1010);
    });

    test('is made and moves on as start and step say', async () => {
      const ids = connect({ start: 7, step: 100 });
      const idstatus = await ids.initId('myseq');
      expect(await fixture.read(url, 'myseq')).toBe(7);
      expect(await nextIds(ids, idstatus, 3)).toEqual([7, 8, 9]);
      expect(await fixture.read(url, 'myseq')).toBe(107);
    });

    test('is kept as it is if it is there already', async () => {
      const store = open(url);
      await store.advance('myseq', 5000);
      await store.close();
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      expect(idstatus.index).toBe(5000);
      expect(await ids.nextId(idstatus)).toBe(5000);
    });

    test('is one for each seqname', async () => {
      const ids = connect();
      const [a, b] = await Promise.all([ids.initId('a'), ids.initId('b')]);
      expect([await ids.nextId(a), await ids.nextId(b), await ids.nextId(a)]).toEqual([1000, 1000, 1001]);
    });
  });

  describe('idstatus', () => {
    const ask = (ids, idstatus) => {
      const callback = jest.fn();
      ids.next_id(idstatus, callback);
      return callback;
    };

    test('shows no numbers after init_id', async () => {
      const idstatus = await connect().initId('myseq');
      expect(idstatus).toMatchObject({ _id: 'myseq', index: 1000, high: 1000, waiters: [], infetch: false });
    });

    test('shows who waits while a range is being reserved', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      const callbacks = [ask(ids, idstatus), ask(ids, idstatus), ask(ids, idstatus)];
      expect(idstatus).toMatchObject({ index: 1000, high: 1000, infetch: true });
      expect(idstatus.waiters).toEqual(callbacks);
      await until(() => callbacks[2].mock.calls.length > 0);
      expect(idstatus.waiters).toEqual([]);
    });

    test('shows the numbers in memory from the first callback on', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      const seen = await new Promise((resolve) => {
        ids.next_id(idstatus, () => resolve(idstatus.toJSON()));
      });
      expect(seen).toEqual({ _id: 'myseq', index: 1001, high: 1010, waiters: [], infetch: false });
    });

    test('shows each id that is taken, to the last', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      await ids.nextId(idstatus);
      // Synchronous from here on: the next range cannot arrive.
      for (let id = 1001; id < 1010; id++) {
        expect(idstatus).toMatchObject({ index: id, high: 1010 });
        expect(ask(ids, idstatus)).toHaveBeenCalledWith(null, id);
      }
      expect(idstatus).toMatchObject({ index: 1010, high: 1010, infetch: true });
    });

    test('can be printed', async () => {
      const idstatus = await connect().initId('myseq');
      const shown = { _id: 'myseq', index: 1000, high: 1000, waiters: [], infetch: false };
      expect(JSON.parse(JSON.stringify(idstatus))).toEqual(shown);
      expect(inspect(idstatus)).toBe(inspect(shown));
    });

    test('can be printed while callbacks wait, as the plain object that it used to be', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      const waiters = [ask(ids, idstatus), ask(ids, idstatus)];
      const shown = { _id: 'myseq', index: 1000, high: 1000, waiters, infetch: true };
      expect(JSON.stringify(idstatus)).toBe(JSON.stringify(shown));
      expect(inspect(idstatus)).toBe(inspect(shown));
    });

    test('is the same for the same seqname, also for two that ask at once', async () => {
      const ids = connect();
      const [a, b] = await Promise.all([ids.initId('myseq'), ids.initId('myseq')]);
      expect(b).toBe(a);
      expect(await ids.nextId(a)).toBe(1000);
      expect(await ids.initId('myseq')).toBe(a);
      expect(await ids.nextId(a)).toBe(1001);
    });
  });

  describe('callbacks', () => {
    test('run before next_id returns while a number is in memory, and later otherwise', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      const runsBeforeReturn = () => new Promise((resolve) => {
        let returned = false;
        ids.next_id(idstatus, () => resolve(!returned));
        returned = true;
      });
      expect(await runsBeforeReturn()).toBe(false);
      expect(await runsBeforeReturn()).toBe(true);
    });

    test('run in the order of the calls, with growing ids', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      const served = [];
      await new Promise((resolve) => {
        for (let call = 0; call < 25; call++) {
          ids.next_id(idstatus, (error, id) => {
            served.push({ call, error, id });
            if (served.length === 25) resolve();
          });
        }
      });
      const inOrder = Array.from({ length: 25 }, (_, call) => ({ call, error: null, id: 1000 + call }));
      expect(served).toEqual(inOrder);
    });

    test('may ask again, for an id larger than those asked for before', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      const nested = new Promise((resolve) => {
        ids.next_id(idstatus, () => ids.next_id(idstatus, (error, id) => resolve(id)));
      });
      const others = [ids.nextId(idstatus), ids.nextId(idstatus)];
      expect(await Promise.all([...others, nested])).toEqual([1001, 1002, 1003]);
    });

    test('that run before next_id returns may throw through it', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      await ids.nextId(idstatus);
      const thrown = new Error('thrown by the callback');
      const call = () => ids.next_id(idstatus, () => {
        throw thrown;
      });
      expect(call).toThrow(thrown);
      expect(await ids.nextId(idstatus)).toBe(1002);
    });
  });

  test('what a callback throws is an uncaught exception and loses no id of others', async () => {
    const program = (url) => {
      const { init_id, next_id } = require('nextid/callback')(url);
      process.on('uncaughtException', (error) => console.log(error.message));
      init_id('myseq', (error, idstatus) => {
        next_id(idstatus, () => {
          throw new Error('thrown by the first');
        });
        for (let i = 0; i < 2; i++) next_id(idstatus, (error, id) => console.log(id));
        throw new Error('thrown by init_id');
      });
    };
    expect(await runProgram(program, [url])).toEqual({
      code: 0, signal: null, stderr: '', stdout: 'thrown by init_id\nthrown by the first\n1001\n1002\n',
    });
  });

  test('what a callback throws ends a process that does not catch it', async () => {
    const program = (url) => {
      const { init_id, next_id } = require('nextid/callback')(url);
      init_id('myseq', (error, idstatus) => {
        next_id(idstatus, () => {
          throw new Error('not caught');
        });
      });
    };
    const { code, stderr } = await runProgram(program, [url]);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: not caught\n');
  });

  describe('an error', () => {
    test('goes to the callback of init_id when the store does not work', async () => {
      const { init_id } = connect({}, fixture.brokenUrl());
      const [error, ...others] = await new Promise((resolve) => {
        init_id('myseq', (...args) => resolve(args));
      });
      expect(error).toMatchObject({ name: 'NextIdError', code: expect.stringMatching(/^ERR_NEXTID_STORE_/) });
      expect(others).toEqual([]);
    });

    test('goes to the callback of next_id when the store is down too long, and does not stick', async () => {
      const outage = await heldStore(fixture);
      const ids = connect({ timeout: 200 }, outage.url);
      const idstatus = await served(() => ids.initId('myseq'));
      await outage.begin();
      await expect(ids.nextId(idstatus)).rejects.toMatchObject({ code: 'ERR_NEXTID_TIMEOUT' });
      expect(idstatus.waiters).toEqual([]);

      await outage.end();
      expect(await served(() => ids.nextId(idstatus))).toBe(1000);
    });

    test('goes to every callback that waits when the counter is damaged, and does not stick', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      await fixture.write(url, 'myseq', 'damaged');
      const calls = await Promise.allSettled([ids.nextId(idstatus), ids.nextId(idstatus)]);
      const rejected = { status: 'rejected', reason: { code: 'ERR_NEXTID_COUNTER_INVALID' } };
      expect(calls).toMatchObject([rejected, rejected]);
      expect(idstatus).toMatchObject({ waiters: [], infetch: false });

      await fixture.write(url, 'myseq', 1000);
      expect(await ids.nextId(idstatus)).toBe(1000);
    });

    test('is given with no id', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      await fixture.write(url, 'myseq', 'damaged');
      const [error, id] = await new Promise((resolve) => {
        ids.next_id(idstatus, (...args) => resolve(args));
      });
      expect(error).toBeTruthy();
      expect(id).toBeUndefined();
    });

    test('is what init_id gives for a counter that is gone, which it does not make anew', async () => {
      const ids = connect();
      await ids.initId('myseq');
      await fixture.remove(url, 'myseq');
      await expect(ids.initId('myseq')).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_MISSING' });
      expect(await fixture.read(url, 'myseq')).toBeUndefined();
    });
  });

  describe('bad arguments', () => {
    const TYPE = 'ERR_INVALID_ARG_TYPE';
    const VALUE = 'ERR_INVALID_ARG_VALUE';

    const thrownBy = (call) => {
      try {
        return call();
      } catch (error) {
        return error;
      }
    };

    test.each([[undefined, TYPE], [17, TYPE], ['', VALUE]])('seqname %p: handed over', async (name, code) => {
      await expect(connect().initId(name)).rejects.toMatchObject({ code });
    });

    test('no callback: thrown', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      expect(thrownBy(() => ids.init_id('myseq'))).toMatchObject({ code: TYPE });
      expect(thrownBy(() => ids.next_id(idstatus))).toMatchObject({ code: TYPE });
      expect(await ids.nextId(idstatus)).toBe(1000);
    });

    test.each([
      undefined, null, 'myseq', { _id: 'myseq', index: 1 }, { take: () => 1 }, { tryNextId: () => 1 },
    ])('idstatus %p: thrown', (idstatus) => {
      const error = thrownBy(() => connect().next_id(idstatus, () => {}));
      expect(error).toMatchObject({ code: TYPE, message: expect.stringContaining('what init_id passed') });
    });

    test('a malformed URL or a wrong option: thrown before anything is opened', () => {
      const errorFor = (...args) => thrownBy(() => callbackInterface(...args));
      expect(errorFor('mongo://localhost/shop')).toMatchObject({ code: VALUE });
      expect(errorFor(url, { stepp: 10 }).message).toContain("did you mean 'step'?");
      expect(errorFor(url, { start: -1 })).toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    });
  });

  describe('close', () => {
    const closed = { code: 'ERR_NEXTID_CLOSED' };

    test('gives unused numbers back', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      await nextIds(ids, idstatus, 3);
      await ids.close();
      expect(await fixture.read(url, 'myseq')).toBe(1003);
    });

    test('hands an error to callbacks that wait, and to those of later calls', async () => {
      const ids = connect();
      const idstatus = await ids.initId('myseq');
      const waiting = ids.nextId(idstatus);
      ids.close();
      await expect(waiting).rejects.toMatchObject(closed);
      await expect(ids.nextId(idstatus)).rejects.toMatchObject(closed);
      await expect(ids.initId('myseq')).rejects.toMatchObject(closed);
      await ids.close();
    });
  });
});
