import assert from 'node:assert/strict';
import { open } from 'nextid';
import { IdService } from '../services/id-service.js';

// What NestJS does with a provider. On $NEXTID_STORE, which must be new.
async function main(): Promise<void> {
  const provider = new IdService();
  await provider.onModuleInit();
  const ids: number[] = [await provider.nextOrder(), await provider.nextOrder(), await provider.nextOrder()];
  await provider.onModuleDestroy();
  assert.deepEqual(ids, [1, 2, 3]);

  const store = open();
  const [counter] = await store.list();
  await store.close();
  assert.equal(counter?.next, 4, 'the numbers that were not used are given back');
}

void main();
