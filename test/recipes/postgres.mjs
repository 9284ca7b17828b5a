// A PostgreSQL in memory, on a port of its own, until it is killed. It runs one query at a time.

import console from 'node:console';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

const server = new PGLiteSocketServer({ db: await PGlite.create(), port: 0, maxConnections: 10 });
server.addEventListener('listening', ({ detail }) => console.log(`listens on port ${detail.port}`));
await server.start();
