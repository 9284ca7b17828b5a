'use strict';

/** A connection of the caller's own to a server, for transactions. `kind` is that of the fixtures. */
async function connectTo(kind, url) {
  if (kind === 'postgres') {
    const { Client } = require('pg');
    const client = new Client({ connectionString: url });
    client.on('error', () => {}); // it was cut off
    await client.connect();
    return new Connection(client, async (sql) => (await client.query(sql)).rows);
  }
  const connection = await require('mysql2/promise').createConnection(url);
  return new Connection(connection, async (sql) => (await connection.query(sql))[0]);
}

class Connection {
  /** What nextId() takes as `transaction`. */
  client;
  /** Runs a statement; resolves to its rows. */
  query;

  constructor(client, query) {
    this.client = client;
    this.query = query;
  }

  begin() {
    return this.query('BEGIN');
  }

  commit() {
    return this.query('COMMIT');
  }

  rollback() {
    return this.query('ROLLBACK');
  }

  /** Runs work() in a transaction, and commits it unless it rejects. */
  async transaction(work) {
    await this.begin();
    try {
      const result = await work(this.client);
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  end() {
    return this.client.end();
  }
}

module.exports = { connectTo };
