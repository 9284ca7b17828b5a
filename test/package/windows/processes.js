'use strict';

// Several processes on one file; half of them open it again and again, most are killed. No id may come twice.

const assert = require('node:assert/strict');
const { execFileSync, fork } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

const { open } = require('nextid');

const [, , role, log] = process.argv;
const PROCESSES = 4;
const KILLS = 12;

async function work() {
  const file = fs.openSync(log, 'w');
  let stopped = false;
  process.on('message', () => {
    stopped = true;
  });
  process.send('ready');
  while (!stopped) {
    const ids = open('sqlite:processes.db');
    for (let i = 0; !stopped && (role === 'keeps' || i < 20); ++i) {
      const id = await ids.sequence('orders').nextId();
      fs.writeSync(file, `${id}\n`);
      if (i % 10 === 0) await sleep(1);
    }
    await ids.close();
  }
  process.disconnect();
}

async function start(number) {
  const child = fork(__filename, [number % 2 === 0 ? 'keeps' : 'reopens', `processes-${number}.log`]);
  await once(child, 'message');
  return child;
}

async function main() {
  const children = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => start(i)));
  for (let i = 0; i < KILLS; ++i) {
    await sleep(200);
    const victim = children.shift();
    const exited = once(victim, 'exit');
    if (i % 3 === 0) execFileSync('taskkill', ['/F', '/PID', String(victim.pid)], { stdio: 'ignore' });
    else process.kill(victim.pid, i % 3 === 1 ? 'SIGKILL' : 'SIGTERM'); // both end a process at once here
    await exited;
    children.push(await start(PROCESSES + i));
  }
  await Promise.all(children.map(async (child) => {
    const exited = once(child, 'exit');
    child.send('stop');
    assert.deepEqual(await exited, [0, null]);
  }));

  const given = [];
  for (let i = 0; i < PROCESSES + KILLS; ++i) {
    const lines = fs.readFileSync(`processes-${i}.log`, 'utf8').split('\n').slice(0, -1).map(Number);
    assert.ok(lines.every((id, at) => at === 0 || id > lines[at - 1]) || i % 2 === 1); // increasing
    given.push(...lines);
  }
  assert.equal(new Set(given).size, given.length);
  assert.ok(given.length > 1000, `${given.length} ids`);
  assert.deepEqual(fs.readdirSync('.').filter((name) => /^processes\.db-/.test(name)), []);
  console.log(`${given.length} ids of ${PROCESSES + KILLS} processes, ${KILLS} killed, none twice`);
}

if (role === undefined) main();
else work();
