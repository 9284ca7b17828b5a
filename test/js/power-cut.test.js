'use strict';

// Files of a store as they stand at random moments, copied while all processes are stopped, and opened
// elsewhere: what a power cut leaves if the disk has lost nothing. (What it may lose is the matter of
// test/native/sqlite/power_cut_test.cpp.)

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Journals, SEQUENCES, startTaking } = require('../support/ids-of-all-kinds');
const { needs } = require('../support/needs');
const { randomNumbers } = require('../support/random');
const { runProgram } = require('../support/run-program');
const { scaled } = require('../support/scale');
const { until } = require('../support/until');

const ROUNDS = scaled(2, 5); // each with a file of its own
const COPIES = 20; // in each
const PROCESSES = 3;

const random = randomNumbers(20140625);
let folder;
let processes = [];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
});

afterEach(() => {
  for (const { process } of processes) process.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
});

// A process is stopped when all its threads are, some time after the signal.
function isStopped({ process: { pid } }) {
  return fs.readdirSync(`/proc/${pid}/task`).every((task) => {
    const facts = fs.readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8');
    return facts.slice(facts.lastIndexOf(')') + 2).startsWith('T');
  });
}

async function whileAllAreStopped(act) {
  for (const { process } of processes) process.kill('SIGSTOP');
  await until(() => processes.every(isStopped));
  act();
  for (const { process } of processes) process.kill('SIGCONT');
}

// -shm is memory that processes share: it does not outlive the machine.
function copyStore(file, copy) {
  for (const suffix of ['', '-wal', '-journal']) {
    if (fs.existsSync(file + suffix)) fs.copyFileSync(file + suffix, copy + suffix);
  }
}

// In a process of its own: ids of all sequences, by name, from each of the stores.
const takeSome = async (files, sequences) => {
  const { open } = require('nextid');
  const taken = [];
  for (const file of files) {
    const ids = open(`sqlite:${file}`);
    const some = Object.entries(sequences).map(async ([name, options]) => (
      [name, await ids.sequence(name, options).nextIds(10)]));
    taken.push(Object.fromEntries(await Promise.all(some)));
    await ids.close();
  }
  console.log(JSON.stringify(taken));
};

async function idsOf(copies) {
  const { stdout, stderr } = await runProgram(takeSome, [copies, SEQUENCES]);
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

needs('linux').test('a copy made at any moment gives no id that was given before', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const file = path.join(folder, `${round}.db`);
    const journalFolder = path.join(folder, `journals${round}`);
    fs.mkdirSync(journalFolder);
    const journals = new Journals(journalFolder);
    processes = Array.from({ length: PROCESSES }, (_, i) => (
      startTaking(`sqlite:${file}`, journals.pathOf(i))));
    await until(() => fs.existsSync(file)); // from the making of the file on
    const copies = [];
    for (let i = 0; i < COPIES; i++) {
      const copy = { file: path.join(folder, `${round}-${i}.db`) };
      await until(() => {
        journals.read();
        return journals.count >= i * 100;
      });
      await sleep(50 * random());
      await whileAllAreStopped(() => {
        copyStore(file, copy.file);
        journals.read();
        copy.before = journals.count;
      });
      copies.push(copy);
    }
    for (const { code, stderr } of await Promise.all(processes.map((process) => process.stop()))) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    journals.read();
    expect(journals.twice).toEqual([]);

    const taken = await idsOf(copies.map((copy) => copy.file));
    for (const [i, { before }] of copies.entries()) {
      for (const [name, ids] of Object.entries(taken[i])) {
        expect(ids).toHaveLength(10);
        expect(ids.filter((id) => journals.taken[name].get(String(id)) < before)).toEqual([]);
      }
    }
  }
});
