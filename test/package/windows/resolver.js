'use strict';

// Jest's resolver of modules, in JavaScript: the native one needs a DLL that wine 8 does not have. Jest loads
// this because NAPI_RS_NATIVE_LIBRARY_PATH names it.

const { createRequire } = require('node:module');
const path = require('node:path');

class ResolverFactory {
  sync(folder, name) {
    try {
      return { path: createRequire(path.join(folder, 'any.js')).resolve(name) };
    } catch (error) {
      return { error: error.message };
    }
  }

  async async(folder, name) {
    return this.sync(folder, name);
  }

  cloneWithOptions() {
    return this;
  }

  clearCache() {}
}

module.exports = { ResolverFactory };
