'use strict';

const { show, wrongValue } = require('../errors');
const { DEFAULT_KIND, loadKind } = require('../kinds');
const { LARGEST_NUMBER } = require('../limits');
const { optionsOf, toId } = require('../symbols');
const { chosenKind, integer, kindFlags, optionsOfFlags } = require('./flags');
const { examples, flagsHelp } = require('./help-text');
const { given, toJson, writeLines } = require('./output');
const { Progress } = require('./progress');

// A batch is as large as everything printed before it, within these bounds. So a short run reserves exactly
// what it needs, a long run is fast, and a reader that stops early leaves few ids unread.
const SMALLEST_BATCH = 1024;
const LARGEST_BATCH = 16_384;

const KIND_FLAGS = kindFlags('next');

const SECTION = `Kinds of sequence, for next (default: plain: 1, 2, 3, …):
${flagsHelp(KIND_FLAGS, (kinds) => kinds.map(({ name }) => name).join(', '))}

${examples('next')}`;

function read([name], { count = '1', ...values }) {
  const wanted = integer(count, '--count');
  if (wanted < 1n || wanted > LARGEST_NUMBER) {
    throw wrongValue(`--count is ${show(count)}`, `an integer from 1 to ${LARGEST_NUMBER}`);
  }
  const options = optionsOfFlags('next', KIND_FLAGS, values);
  const { canBeNameless } = chosenKind(options).load();
  return { name: name ?? (canBeNameless ? undefined : 'default'), count: Number(wanted), options };
}

/** Prints `count` ids of the sequence `name`, which has the `options` of Store.sequence(). */
async function run(store, { name, count, options, json }, { output, signal, warn }) {
  const kind = chosenKind(options);
  const sequence = store.sequence(...given(name), { ...kind.load().cli.next.options, ...options });
  // On a terminal, the ids themselves show the progress.
  const progress = new Progress(process.stdout.isTTY ? {} : process.stderr);
  const toLine = json ? (id) => JSON.stringify({ name: name ?? '', id: toJson(id) }) : String;
  try {
    for (let done = 0; done < count;) {
      const batch = Math.min(count - done, Math.max(SMALLEST_BATCH, Math.min(done, LARGEST_BATCH)));
      const ids = await sequence.nextIds(batch, { signal });
      if (done === 0 && kind === DEFAULT_KIND && isCreation(ids[0], sequence)) {
        warn(`created the ${kind.name} counter '${name}' in ${store.url}`);
      }
      await writeLines(output, ids.map(toLine), (written) => progress.show(done + written, count));
      done += batch;
    }
  } finally {
    progress.clear();
  }
}

// Only the process that creates a plain counter gets its first number. Looking for the counter beforehand
// would cost a request.
function isCreation(first, sequence) {
  const { start } = loadKind(DEFAULT_KIND.name).nativeOptions(sequence[optionsOf]);
  return first === sequence[toId](start);
}

module.exports = {
  usage: 'nextid next [NAME]',
  synopsis: 'nextid next [NAME] [--count N] [KIND OF SEQUENCE]',
  summary: "Prints ids of the sequence NAME (default: 'default'), one per line.",
  section: SECTION,
  json: 'one {"name":…,"id":…} per line',
  flags: { count: { value: 'N' }, ...KIND_FLAGS },
  mostOperands: 1,
  read,
  run,
};
