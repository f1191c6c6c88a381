/** The interface between the runner and a database engine: how its container is created and how its data is queried. One file per engine. */
import type { DatabaseAnswerOf, DatabaseAskOf, EngineName } from '../../protocol/database.ts';
import type { ContainerTools } from './container-tools.ts';

/** An engine that accepts connections answers a small query at once, or not at all. */
export const engineTimeoutMs = 5_000;

/** The environment of a database's container, including its credentials. */
export type EngineEnvironment = Readonly<Record<string, string>>;

/** The address of the container, as seen from the host. */
export interface EngineAddress {
  host: string;
  port: number;
}

export interface EngineSettings {
  env: EngineEnvironment;
  /** PostgreSQL: `wal_level=logical`. */
  logicalReplication: boolean;
  memoryLimitMb: number | null;
  /**
   * The user's settings (worker/domain/databases/engine-settings), by the engine's own names. They override the settings that follow from the memory
   * limit.
   */
  chosen: Readonly<Record<string, string>>;
}

/** The settings of the engine's container, in addition to those of every container. */
export interface EngineContainer {
  port: number;
  /** Absolute path of the only volume in the container. */
  dataDirectory: string;
  /** Arguments for the image's own entrypoint; `undefined` for the image's own command. */
  command: string[] | undefined;
  /** The signal that stops the engine cleanly, for images that may not set it; `undefined` for the image's own. */
  stopSignal: string | undefined;
  env: Record<string, string>;
  /** Text files by absolute path, readable in the container: for values that must not be on a command line. */
  files: Record<string, string>;
  /** A secret file that only this user of the image may read; absent: none. */
  keyFile?: { path: string; user: string; text: string };
  /** Settings that follow from the memory limit, by the engine's own names; empty without a limit. They are shown in the deployment's log. */
  fromMemory: Readonly<Record<string, string>>;
  /** Size of `/dev/shm` in units of 2^20 bytes; absent: Docker's default of 64. */
  shmSizeMb?: number;
  /** The engine's TLS settings; absent if TLS is impossible here. */
  tls?: EngineTls;
}

/** The needs of an engine to offer TLS. It still accepts plain connections. */
export interface EngineTls {
  /** Absolute paths of two PEM files in the container. */
  certificateFile: string;
  keyFile: string;
  /** The user of the image that may read the key. */
  user: string;
  /** Further arguments of the command. */
  command: string[];
}

/** Limits on the time and size of a client's query. */
export interface QueryCaps {
  timeoutMs: number;
  rowsMax: number;
  bytesMax: number;
}

/** Settings that clients change in the running server, and that its next start or a new container forgets. */
export interface LiveSettings {
  /** All settings that can be changed this way, by name. @throws EngineError */
  read(address: EngineAddress, env: EngineEnvironment): Promise<Record<string, string>>;
  /** The sentence that a backup does not contain the settings of these names. */
  notKept(names: string): string;
}

/** The number of clients or queries that a server accepts at once, and their users. */
export interface Usage {
  max: number;
  /** Counts by the name of the user, the highest first. */
  users: readonly { name: string; count: number }[];
}

/** A connection that the runner keeps open, because the engine offers no other access once all of its connections are in use. */
export interface WayIn {
  /** Never rejects. */
  isOpen(): Promise<boolean>;
  /** Lets the server accept more connections. @returns a function that restores the limit; open connections stay @throws EngineError */
  makeRoom(): Promise<() => Promise<void>>;
  close(): void;
}

export interface Engine {
  readonly name: EngineName;
  /** The place of the users and passwords: in the data, which outlives the container, or in the container's settings. */
  readonly credentialsIn: 'data' | 'settings';
  /** Matches the line of the engine's log with the reason why it did not start. */
  readonly errorLine: RegExp;
  container(settings: EngineSettings): EngineContainer;
  /**
   * Runs a real query with the credentials from the container's environment. It succeeds only when the database serves.
   * @throws EngineError `unavailable` when it does not answer or refuses them
   */
  ping(address: EngineAddress, env: EngineEnvironment): Promise<void>;
  /**
   * The users of the exhausted resource, read through a connection that is closed to clients. Absent: the engine has no such connection.
   * @throws EngineError
   */
  usage?(address: EngineAddress, env: EngineEnvironment): Promise<Usage>;
  /** Absent: the engine needs no such connection, or has none. @throws EngineError */
  openWayIn?(address: EngineAddress, env: EngineEnvironment): Promise<WayIn>;
  /**
   * Finishes the start of a server that answers but does not serve yet. Called again until it succeeds. Absent: not needed.
   * @param host the name by which the server reaches itself on its network
   * @throws EngineError `unavailable` while it does not serve
   */
  settle?(address: EngineAddress, env: EngineEnvironment, host: string): Promise<void>;
  /**
   * The current values of options that can be changed in the running server and are lost with its container; absent if it has none.
   * @throws EngineError
   */
  runtimeOptions?(address: EngineAddress, env: EngineEnvironment): Promise<Record<string, string>>;
  /** Absent: a dump contains such settings or mentions them, or the engine has none. */
  readonly liveSettings?: LiveSettings;
  /** The most that a load writes to the volume in addition to the data, in bytes. It is never more than the data. Absent: little. */
  readonly loadLogBytesMax?: number;
  /**
   * Names of the tables that currently have rows and lose them whenever the server stops; absent if it has no such tables.
   * @throws EngineError
   */
  lostByStop?(address: EngineAddress, env: EngineEnvironment): Promise<string[]>;
  /**
   * Refuses a server on which others depend. Absent: the engine has no such servers.
   * @throws EngineError `unsupported` when it belongs to a group of servers, in which a copy of its data could not replace it;
   * `unavailable`
   */
  assertAlone?(address: EngineAddress, env: EngineEnvironment): Promise<void>;
  /**
   * Updates the credentials of an engine whose data was created with another environment: the password changes.
   * @param before the environment with which the data was created; its credentials are still valid
   * @throws EngineError `unavailable`; `unsupported` for a change that the data can't follow, such as another user
   */
  changeCredentials(
    address: EngineAddress,
    before: EngineEnvironment,
    after: EngineEnvironment,
  ): Promise<void>;
  /**
   * Writes settings of clients that the server stores only in its memory to the volume, before the container is replaced. Absent: this
   * engine has none.
   * @throws EngineError; DockerError
   */
  keepSettings?(place: { env: EngineEnvironment; tools: ContainerTools; signal: AbortSignal }): Promise<void>;
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
 * Runs queries on one database. Calls may run in parallel (on a small pool). Every identifier comes from the live catalog, and every value
 * is bound. Reads run in read-only transactions where the engine has them.
 * All methods throw EngineError.
 */
export interface EngineSession {
  tables(ask: DatabaseAskOf<'tables'>): Promise<DatabaseAnswerOf<'tables'>>;
  /** Rows in the order of the primary key; without a key, in another stable order. */
  rows(ask: DatabaseAskOf<'rows'>): Promise<DatabaseAnswerOf<'rows'>>;
  query(ask: DatabaseAskOf<'query'>, caps: QueryCaps): Promise<DatabaseAnswerOf<'query'>>;
  insert(ask: DatabaseAskOf<'insert'>): Promise<DatabaseAnswerOf<'insert'>>;
  /** Changes exactly one row; otherwise changes nothing and throws. */
  update(ask: DatabaseAskOf<'update'>): Promise<DatabaseAnswerOf<'update'>>;
  /** Removes exactly one row; otherwise removes nothing and throws. */
  delete(ask: DatabaseAskOf<'delete'>): Promise<DatabaseAnswerOf<'delete'>>;
  close(): Promise<void>;
}
