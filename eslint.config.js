'use strict';

const js = require('@eslint/js');
const globals = require('globals');

module.exports = [
  { ignores: ['build*/', '**/*.ts', '**/*.mts'] },
  js.configs.recommended,
  {
    files: ['**/*.js'],
    languageOptions: {
      ecmaVersion: 2023,
      sourceType: 'commonjs',
      globals: globals.node,
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'curly': ['error', 'multi-line'],
      'eqeqeq': 'error',
      'max-len': ['error', 110],
      'no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'quotes': ['error', 'single', { avoidEscape: true }],
      'semi': 'error',
      'strict': ['error', 'global'],
    },
  },
  {
    files: ['test/**/*.js'],
    languageOptions: { globals: globals.jest },
  },
];
