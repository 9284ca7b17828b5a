'use strict';

const commands = require('./commands');
const { URL_FORMS } = require('../stores');
const { paragraph } = require('./help-text');

const all = Object.values(commands);
const ofEach = (part, indent, width) => Object.entries(commands)
  .map(([name, command]) => paragraph(`${' '.repeat(indent)}${name}`, command[part], width)).join('\n');

module.exports = `Usage: ${all.map(({ synopsis }) => synopsis).join('\n       ')}

Commands:
${ofEach('summary', 2, 17)}

${all.flatMap(({ section }) => section ?? []).join('\n\n')}

Options:
  --count N      how many ids (default 1). Any number is fine: ids are not kept in memory
${paragraph('  --store URL', `${URL_FORMS.slice(0, -1).join(', ')} or ${URL_FORMS.at(-1)}`)}
                 (default: $NEXTID_STORE, otherwise sqlite:nextid.db)
  --json         Prints JSON:
${ofEach('json', 19, 28)}
                 Numbers past 2^53-1 are strings, because many JSON readers would round them.
  --             Ends the options, for a name that begins with -: nextid next -- -name
  -h, --help     Prints this help.
  --version      Prints the version. With --verbose, also prints where the native modules come
                 from and what is linked into them.

Results go to stdout, all other output to stderr. When next creates a plain counter, it says so on
stderr. On SIGINT or SIGTERM, or when its reader is gone, the command stops cleanly. An id that was
taken but not read is skipped and never given again.

Exit codes: 0 success; 1 failure; 2 wrong usage; 130 or 143 stopped by SIGINT or SIGTERM.
`;
