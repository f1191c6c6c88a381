/** What a database engine is to the runner: how its container is made, and how its data is asked for. One file per engine. */
import type { DatabaseAnswerOf, DatabaseAskOf, EngineName } from '../../protocol/database.ts';

/** An engine that takes connections answers a small question at once, or not at all. */
export const engineTimeoutMs = 5_000;

/** The environment of a database's container, and with it its credentials. */
export type EngineEnvironment = Readonly<Record<string, string>>;

/** Where the container answers, as seen from the host. */
export interface EngineAddress {
  host: string;
  port: number;
}

export interface EngineSettings {
  env: EngineEnvironment;
  /** PostgreSQL: `wal_level=logical`. */
  logicalReplication: boolean;
  memoryLimitMb: number | null;
}

/** What the engine's container is started with, beyond what every container gets. */
export interface EngineContainer {
  port: number;
  /** Absolute path in the container of the one volume. */
  dataDirectory: string;
  /** The image's own entrypoint with these arguments; undefined: the image's own command. */
  command: string[] | undefined;
  /** The signal that ends the engine in good order, where the image may not say it; undefined: the image's own. */
  stopSignal: string | undefined;
  env: Record<string, string>;
  /** Text files by absolute path, readable in the container: what must not stand in a command line. */
  files: Record<string, string>;
  /** How it offers TLS; left out: it can't here. */
  tls?: EngineTls;
}

/** What an engine needs in order to offer TLS, beside the plain connections that it goes on taking. */
export interface EngineTls {
  /** Absolute paths in the container of two PEM files. */
  certificateFile: string;
  keyFile: string;
  /** A user of the image: the one who may read the key. */
  user: string;
  /** Further arguments of the command. */
  command: string[];
}

/** The row's cap of time and size on what a client asks. */
export interface QueryCaps {
  timeoutMs: number;
  rowsMax: number;
  bytesMax: number;
}

export interface Engine {
  readonly name: EngineName;
  /** Where its users and passwords live: in the data, which outlives the container, or in the container's settings. */
  readonly credentialsIn: 'data' | 'settings';
  container(settings: EngineSettings): EngineContainer;
  /**
   * A real query with the credentials of the container's environment, which succeeds only when the database serves.
   * @throws EngineError `unavailable` when it does not answer or refuses them
   */
  ping(address: EngineAddress, env: EngineEnvironment): Promise<void>;
  /**
   * Brings what the environment says into an engine that was made with another one: its password.
   * @param before the environment that the data was made with, whose credentials still hold
   * @throws EngineError `unavailable`; `unsupported` for a change that the data can't follow, such as another user
   */
  changeCredentials(
    address: EngineAddress,
    before: EngineEnvironment,
    after: EngineEnvironment,
  ): Promise<void>;
}

/** An engine whose data can be browsed. */
export interface BrowsableEngine extends Engine {
  /**
   * Opens a session with the credentials of the container's environment.
   * @throws EngineError `unavailable` when it does not answer or refuses them
   */
  connect(address: EngineAddress, env: EngineEnvironment): Promise<EngineSession>;
}

/**
 * Questions to one database. Calls may run side by side (a small pool behind it). Every identifier comes from the live catalog, every
 * value is bound. Reading runs in read-only transactions where the engine has them.
 * All methods throw EngineError.
 */
export interface EngineSession {
  tables(ask: DatabaseAskOf<'tables'>): Promise<DatabaseAnswerOf<'tables'>>;
  /** In the order of the primary key, else in a stable one. */
  rows(ask: DatabaseAskOf<'rows'>): Promise<DatabaseAnswerOf<'rows'>>;
  query(ask: DatabaseAskOf<'query'>, caps: QueryCaps): Promise<DatabaseAnswerOf<'query'>>;
  insert(ask: DatabaseAskOf<'insert'>): Promise<DatabaseAnswerOf<'insert'>>;
  /** Changes exactly one row, or none and throws. */
  update(ask: DatabaseAskOf<'update'>): Promise<DatabaseAnswerOf<'update'>>;
  /** Removes exactly one row, or none and throws. */
  delete(ask: DatabaseAskOf<'delete'>): Promise<DatabaseAnswerOf<'delete'>>;
  close(): Promise<void>;
}
