'use strict';

// When a process or a worker_thread with sequences ends, and how. All happens in processes of their own: a
// crash shows as a signal where an exit code should be.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { closeOutages, hungServer, lockedFile, refusedConnections } = require('../support/outages');
const { needs } = require('../support/needs');
const { runProgram, startProgram } = require('../support/run-program');
const { scaled } = require('../support/scale');
const { describeStores } = require('../support/stores');

afterEach(closeOutages);

const CLEAN = { code: 0, signal: null, stderr: '' };

// A call to SQLite waits on a worker thread while the file is locked. One to MongoDB is refused at once:
// between two of them only a timer of ours is left.
function makeOutage(fixture) {
  return fixture.kind === 'sqlite' ? lockedFile(fixture) : refusedConnections(fixture);
}

// The calls stand still, each for 5 s or less.
function makeHang(fixture) {
  return fixture.kind === 'sqlite' ? lockedFile(fixture) : hungServer(fixture);
}

describeStores('a process', (fixture) => {
  test('with numbers in memory and nobody waiting ends by itself', async () => {
    const program = async (url) => {
      const orders = require('nextid').open(url).sequence('orders', { step: 100 });
      console.log(await orders.nextId(), await orders.nextId());
    };
    expect(await runProgram(program, [fixture.freshUrl()])).toEqual({ ...CLEAN, stdout: '1 2\n' });
  });

  test('that took no id ends by itself', async () => {
    const program = (url) => require('nextid').open(url).sequence('orders');
    expect(await runProgram(program, [fixture.freshUrl()])).toEqual({ ...CLEAN, stdout: '' });
  });

  test('whose refills ahead of need fail ends by itself', async () => {
    const outage = await makeOutage(fixture);
    const program = async (url) => {
      const orders = require('nextid').open(url).sequence('orders', { step: 100 });
      await orders.ready();
      process.send('ready');
      await new Promise((resolve) => process.once('message', resolve));
      while (!orders.stats().refilling) orders.tryNextId();
      process.once('exit', () => console.log(orders.stats().failures > 0));
    };
    const { process: child, ended } = startProgram(program, [outage.url]);
    child.once('message', async () => {
      await outage.begin();
      child.send('begin');
    });
    expect(await ended).toEqual({ ...CLEAN, stdout: 'true\n' });
  });

  // Says 'failed' to its parent after the first failure. Nothing but the waiter keeps it alive.
  const waitOnce = (url, timeout) => {
    const orders = require('nextid').open(url).sequence('orders', { timeout });
    orders.nextId().then((id) => console.log(id), ({ code }) => console.log(code));
    const failure = setInterval(() => {
      if (orders.stats().failures === 0) return;
      clearInterval(failure);
      process.send('failed');
    }, 10);
    failure.unref();
  };

  test('with a waiter lives until it is served', async () => {
    const outage = await makeOutage(fixture);
    await outage.begin();
    const { process: child, ended } = startProgram(waitOnce, [outage.url, 30_000]);
    child.once('message', () => outage.end());
    expect(await ended).toEqual({ ...CLEAN, stdout: '1\n' });
  });

  test('with a waiter lives until it has timed out', async () => {
    const outage = await makeOutage(fixture);
    await outage.begin();
    const { process: child, ended } = startProgram(waitOnce, [outage.url, 1000]);
    child.stdout.once('data', () => outage.end()); // a call under way must come to its end
    expect(await ended).toEqual({ ...CLEAN, stdout: 'ERR_NEXTID_TIMEOUT\n' });
  });

  const delays = scaled([0, 5, 40], [0, 1, 2, 5, 10, 20, 40, 80]);
  test.each(delays)('that calls process.exit() %i ms into its refills ends so', async (delay) => {
    const program = (url, delay) => {
      const ids = require('nextid').open(url);
      const takeAll = async (sequence) => {
        for (;;) await sequence.nextId();
      };
      for (let i = 0; i < 5; i++) takeAll(ids.sequence(`sequence ${i}`, { step: 1 }));
      setTimeout(() => process.exit(7), delay);
    };
    expect(await runProgram(program, [fixture.freshUrl(), delay])).toEqual({ ...CLEAN, code: 7, stdout: '' });
  });

  test.each([
    ['process.exit()', () => process.exit(7), 7, /^$/],
    ['an uncaught exception', () => { throw new Error('of the service'); }, 1, /Error: of the service/],
  ])('ends by %s, although the store hangs and waiters wait', async (_, end, code, stderr) => {
    const outage = await makeHang(fixture);
    await outage.begin();
    const program = `(url) => {
      const ids = require('nextid').open(url);
      for (let i = 0; i < 5; i++) ids.sequence('sequence ' + i).nextId();
      setTimeout(${end}, 100);
    }`;
    expect(await runProgram(program, [outage.url]))
      .toEqual({ code, signal: null, stdout: '', stderr: expect.stringMatching(stderr) });
  });
});

// Each store that nobody closed used to wait 5 s for the folder: 100 s in all.
test('SQLite stores that nobody closed do not keep a process while others lock the folder', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
  const program = async (folder) => {
    const urls = Array.from({ length: 20 }, (_, i) => `sqlite:${folder}/${i}.db`);
    const stores = urls.map((url) => require('nextid').open(url));
    for (const store of stores) await store.sequence('orders').ready();
    process.send('ready');
    process.once('message', () => {});
  };
  const { process: child, ended } = startProgram(program, [folder]);
  await once(child, 'message');
  const holder = spawn('flock', [folder, 'sh', '-c', 'echo held; cat']);
  try {
    await once(holder.stdout, 'data');
    child.send('end');
    expect(await ended).toEqual({ ...CLEAN, stdout: '' });
    expect(holder.exitCode).toBe(null);
  } finally {
    holder.stdin.end();
    await once(holder, 'close');
    fs.rmSync(folder, { recursive: true });
  }
}, 90_000);

describeStores('worker_threads', (fixture) => {
  const { test: testOnLinux } = needs('linux'); // for /proc

  test('on one counter at once give every id once, growing in each', async () => {
    const program = async (url) => {
      const { Worker } = require('node:worker_threads');
      const { once } = require('node:events');
      const take = async (url, step) => {
        const ids = require('nextid').open(url);
        const orders = ids.sequence('orders', { step });
        const given = [];
        for (let i = 0; i < 500; i++) given.push(await orders.nextId());
        await ids.close();
        return given;
      };
      const source = `
        const { parentPort, workerData: [url, step] } = require('node:worker_threads');
        (${take})(url, step).then((given) => parentPort.postMessage(given));`;
      const inWorker = async (step) => {
        const worker = new Worker(source, { eval: true, workerData: [url, step] });
        const [given] = await once(worker, 'message');
        return given;
      };
      const inWorkers = [1, 7, 100, 300].map(inWorker);
      process.send(await Promise.all([take(url, 50), ...inWorkers]));
    };
    const { process: child, ended } = startProgram(program, [fixture.freshUrl()]);
    const [lists] = await once(child, 'message');
    expect(await ended).toEqual({ ...CLEAN, stdout: '' });
    expect(lists.map((list) => list.length)).toEqual([500, 500, 500, 500, 500]);
    expect(new Set(lists.flat()).size).toBe(2500);
    expect(Math.min(...lists.flat())).toBe(1);
    for (const list of lists) expect(list.every((id, i) => i === 0 || id > list[i - 1])).toBe(true);
  });

  testOnLinux('terminated many times in refills: no crash, and nothing stays behind', async () => {
    const program = async (url, times) => {
      const { once } = require('node:events');
      const fs = require('node:fs');
      const { setTimeout: sleep } = require('node:timers/promises');
      const { Worker } = require('node:worker_threads');
      const source = `
        const { parentPort, workerData: url } = require('node:worker_threads');
        const ids = require('nextid').open(url);
        const takeAll = async (sequence) => {
          for (;;) await sequence.nextId();
        };
        for (let i = 0; i < 5; i++) takeAll(ids.sequence('sequence ' + i, { step: 1 }));
        parentPort.postMessage('refilling');`;
      const terminateOne = async (delay) => {
        const worker = new Worker(source, { eval: true, workerData: url });
        if (delay > 0) await once(worker, 'message');
        await sleep(delay);
        await worker.terminate();
      };
      // Several at a time, at all moments
      const terminate = async (times) => {
        for (let i = 0; i < times; i += 5) {
          await Promise.all([0, 1, 2, 3, 4].map((delay) => terminateOne(delay + (i % 10))));
        }
        global.gc();
        return { memory: process.memoryUsage.rss(), files: fs.readdirSync('/proc/self/fd').length };
      };
      process.send([await terminate(times / 4), await terminate(times)]);
      console.log(await require('nextid').open(url).sequence('alone').nextId());
    };
    const options = { execArgv: ['--expose-gc'] };
    const times = fixture.isByDriver ? 20 : scaled(60, 200); // each loads the package mongodb
    const { process: child, ended } = startProgram(program, [fixture.freshUrl(), times], options);
    const [[before, after]] = await once(child, 'message');
    expect(await ended).toEqual({ ...CLEAN, stdout: '1\n' });
    expect(after.files).toBeLessThanOrEqual(before.files);
    // The allocator's noise was 3 MB. A worker_thread that stays behind takes 4 MB. (Threads that do no more
    // than load the package mongodb cause a noise of 90 MB.)
    if (!fixture.isByDriver) expect(after.memory - before.memory).toBeLessThan(30 * 2 ** 20);
  });

  test('terminated while the store hangs end when the attempt does', async () => {
    const outage = await makeHang(fixture);
    await outage.begin();
    const program = async (url) => {
      const { once } = require('node:events');
      const { Worker } = require('node:worker_threads');
      const source = `
        const { parentPort, workerData: url } = require('node:worker_threads');
        const ids = require('nextid').open(url);
        for (let i = 0; i < 50; i++) ids.sequence('sequence ' + i).nextId();
        parentPort.postMessage('waiting');`;
      const worker = new Worker(source, { eval: true, workerData: url });
      await once(worker, 'message');
      console.log(await worker.terminate());
    };
    expect(await runProgram(program, [outage.url])).toEqual({ ...CLEAN, stdout: '1\n' });
  });

  test('that end by themselves serve their waiters first', async () => {
    const program = async (url) => {
      const { once } = require('node:events');
      const { Worker } = require('node:worker_threads');
      const source = `
        const { parentPort, workerData: url } = require('node:worker_threads');
        const orders = require('nextid').open(url).sequence('orders');
        orders.nextIds(30).then((ids) => parentPort.postMessage(ids));`;
      const worker = new Worker(source, { eval: true, workerData: url });
      const [[ids], [code]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
      console.log(ids.length, code);
    };
    expect(await runProgram(program, [fixture.freshUrl()])).toEqual({ ...CLEAN, stdout: '30 0\n' });
  });
});
