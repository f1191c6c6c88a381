/**
 * The gateway as a member of a replica set, when mongod's arguments name one. It takes a configuration of one member, which has to be
 * itself by the names of its network, as mongod checks it at its start and with every new configuration.
 */
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { Binary, deserialize, Long, ObjectId, serialize, Timestamp } from 'bson';
import type { Command } from './command.ts';
import { CommandError } from './errors.ts';
import type { Store } from './store.ts';

type Fields = Record<string, unknown>;
interface Config {
  _id: string;
  version: number;
  members: { _id: number; host: string }[];
}

const port = '27017';

export class ReplicaSet {
  readonly #store: Store;
  readonly #name: string | undefined;
  #config: Config | undefined;
  #isMember = false;
  #last = { t: 0, i: 0 };

  /** @param name of `--replSet`; undefined: the server runs alone */
  constructor(store: Store, name: string | undefined) {
    this.#store = store;
    this.#name = name;
  }

  async load(): Promise<void> {
    await this.#store.rows('CREATE TABLE IF NOT EXISTS public.gateway_replica_set (config bytea NOT NULL)');
    const [row] = await this.#store.rows<{ config: Buffer }>('SELECT config FROM public.gateway_replica_set');
    if (!row || this.#name === undefined) return;
    this.#config = deserialize(row.config) as Config;
    this.#isMember = await isSelf(this.#config);
  }

  get isOn(): boolean {
    return this.#name !== undefined;
  }
  get isPrimary(): boolean {
    return this.#isMember;
  }

  hello(): Fields {
    if (!this.isOn) return { isWritablePrimary: true, ismaster: true };
    const outside = { isWritablePrimary: false, ismaster: false, secondary: false, isreplicaset: true };
    if (!this.#config) return { ...outside, info: 'Does not have a valid replica set config' };
    if (!this.#isMember) return outside;
    const hosts = this.#config.members.map(({ host }) => host);
    return {
      ...{ isWritablePrimary: true, ismaster: true, secondary: false, setName: this.#name, hosts },
      ...{ setVersion: this.#config.version, me: hosts[0], primary: hosts[0] },
      electionId: new ObjectId('7fffffff0000000000000001'),
    };
  }

  /** What a primary adds to each answer. */
  times(): Fields {
    if (!this.#isMember) return {};
    const operationTime = new Timestamp(this.#last);
    const signature = { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO };
    return { operationTime, $clusterTime: { clusterTime: operationTime, signature } };
  }

  /** A later time than all before. */
  tick(): Timestamp {
    const t = Math.floor(Date.now() / 1000);
    this.#last = t > this.#last.t ? { t, i: 1 } : { t: this.#last.t, i: this.#last.i + 1 };
    return new Timestamp(this.#last);
  }

  readonly commands: Readonly<Record<string, (command: Command) => Promise<Fields>>> = {
    replSetInitiate: async ({ field }) => {
      if (!this.isOn) throw notReplicated();
      if (this.#config) throw new CommandError(23, 'AlreadyInitialized', 'already initialized');
      await this.#take({ version: 1, ...(field('replSetInitiate') as object) } as Config);
      return {};
    },
    replSetGetConfig: async () => ({ config: this.#existing() }),
    replSetGetStatus: async () => {
      const { _id: set, members } = this.#existing();
      const state = this.#isMember ? { state: 1, stateStr: 'PRIMARY' } : { state: 10, stateStr: 'REMOVED' };
      return { set, myState: state.state, members: members.map(({ host: name }) => ({ name, ...state })) };
    },
    replSetReconfig: async ({ field }) => {
      const before = this.#existing();
      const config = field('replSetReconfig') as Config;
      if (!this.#isMember && field('force') !== true)
        throw new CommandError(
          10_107,
          'NotWritablePrimary',
          'New config: only a primary takes it without force',
        );
      if (config.version <= before.version)
        throw new CommandError(103, 'NewReplicaSetConfigurationIncompatible', 'The version must grow');
      await this.#take(config);
      return {};
    },
  };

  #existing(): Config {
    if (!this.isOn) throw notReplicated();
    if (!this.#config) throw new CommandError(94, 'NotYetInitialized', 'no replset config has been received');
    return this.#config;
  }

  async #take(config: Config): Promise<void> {
    if (config._id !== this.#name || config.members.length !== 1)
      throw new CommandError(93, 'InvalidReplicaSetConfig', `Only ${this.#name} with one member`);
    if (!(await isSelf(config)))
      throw new CommandError(74, 'NodeNotFound', 'No host described in new configuration maps to this node');
    await this.#store.rows('DELETE FROM public.gateway_replica_set');
    const bytes = Buffer.from(serialize(config));
    await this.#store.rows('INSERT INTO public.gateway_replica_set VALUES ($1)', [bytes]);
    this.#config = config;
    this.#isMember = true;
    this.tick();
  }
}

const notReplicated = () => new CommandError(76, 'NoReplicationEnabled', 'not running with --replSet');

async function isSelf({ members: [member] }: Config): Promise<boolean> {
  const [host = '', at] = (member?.host ?? '').split(':');
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const found = await lookup(host, { all: true }).catch(() => []);
  return at === port && found.some(({ address }) => own.includes(address));
}
