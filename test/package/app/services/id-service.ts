import { open, type Sequence, type Store } from 'nextid';

/** A provider as NestJS has them; the interfaces OnModuleInit and OnModuleDestroy ask for these two methods. */
export class IdService {
  readonly #ids: Store = open();
  readonly #orders: Sequence = this.#ids.sequence('orders');

  async onModuleInit(): Promise<void> {
    await this.#orders.ready();
  }

  nextOrder(): Promise<number> {
    return this.#orders.nextId();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#ids.close();
  }
}
