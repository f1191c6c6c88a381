/**
 * Secrets at rest in D1: AES-256-GCM under a data key per project, itself wrapped by the Worker secret ENCRYPTION_KEY.
 * A ciphertext is bound to its place (table, column, row): moved to another row it does not open.
 */

/** Where a ciphertext lives; becomes the additional data of AES-GCM. */
export interface SecretPlace {
  table: string;
  column: string;
  rowId: string;
}

export interface SecretEnvelope {
  /** A new wrapped data key, to be stored with the project. */
  newDataKey(projectId: string): Promise<string>;
  /** Seals under a project's data key. */
  seal(wrappedDataKey: string, projectId: string, place: SecretPlace, clear: string): Promise<string>;
  /** @throws Error when key, place or ciphertext do not belong together. */
  open(wrappedDataKey: string, projectId: string, place: SecretPlace, sealed: string): Promise<string>;
  /** The same for secrets of the instance (provider credentials), directly under ENCRYPTION_KEY. */
  sealForInstance(place: SecretPlace, clear: string): Promise<string>;
  openForInstance(place: SecretPlace, sealed: string): Promise<string>;
}
