'use strict';

const { basename } = require('node:path').win32;

const { wrongValue } = require('../errors');

const EXAMPLE = "'sqlite:ids.db' or 'sqlite:C:/data/ids.db'";
const DEVICES = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *([.:]|$)/i;

/** Refuses the absolute path of a URL sqlite: that names no file, or another file, on Windows. */
function refuseOtherNames(absolute) {
  const name = basename(absolute);
  if (DEVICES.test(name)) {
    throw wrongValue(`the file of the sqlite: URL is '${name}', a device on Windows`, EXAMPLE);
  }
  if (/[<>"|*:]/.test(absolute.slice('C:'.length))) {
    throw wrongValue('the path of the sqlite: URL has a <, >, ", |, * or a : that is not of a drive, which ' +
      'file names on Windows cannot have', EXAMPLE);
  }
  if (/[. ]$/.test(name)) {
    throw wrongValue('the path of the sqlite: URL ends with a dot or a blank, which Windows drops', EXAMPLE);
  }
}

module.exports = { refuseOtherNames };
