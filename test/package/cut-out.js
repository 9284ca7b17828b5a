'use strict';

// node cut-out.js PAGE FOLDER: writes the files that a page of docs/recipes/ shows into a folder.

const fs = require('node:fs');
const path = require('node:path');
const { recipeOf } = require('../support/pages');

const [page, folder] = process.argv.slice(2);
for (const [name, code] of recipeOf(page).files) fs.writeFileSync(path.join(folder, name), code);
