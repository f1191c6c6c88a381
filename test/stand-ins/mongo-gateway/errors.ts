/** Errors in MongoDB's numbers: https://github.com/mongodb/mongo/blob/v7.0/src/mongo/base/error_codes.yml */

/** A command that is refused: what the client's driver throws. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: number;
  readonly codeName: string;
  constructor(code: number, codeName: string, message: string) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}

const internal = { code: 1, codeName: 'InternalError' };

/**
 * SQLSTATEs of DocumentDB, and of PostgreSQL where it speaks itself, by the errors that MongoDB has for them. DocumentDB's are in
 * https://github.com/documentdb/documentdb/blob/main/pg_documentdb_gw/include/all_error_mappings_oss_generated.csv
 */
const byState: Readonly<Record<string, { code: number; codeName: string }>> = {
  M0001: { code: 2, codeName: 'BadValue' },
  M0003: { code: 9, codeName: 'FailedToParse' },
  M00ER: { code: 13, codeName: 'Unauthorized' },
  M0004: { code: 14, codeName: 'TypeMismatch' },
  M0005: { code: 15, codeName: 'Overflow' },
  M0006: { code: 20, codeName: 'IllegalOperation' },
  M0008: { code: 26, codeName: 'NamespaceNotFound' },
  M0009: { code: 27, codeName: 'IndexNotFound' },
  M000A: { code: 28, codeName: 'PathNotViable' },
  M000D: { code: 40, codeName: 'ConflictingUpdateOperators' },
  M000E: { code: 43, codeName: 'CursorNotFound' },
  M000F: { code: 48, codeName: 'NamespaceExists' },
  M00EX: { code: 50, codeName: 'MaxTimeMSExpired' },
  '57014': { code: 50, codeName: 'MaxTimeMSExpired' },
  M000G: { code: 52, codeName: 'DollarPrefixedFieldName' },
  M000J: { code: 56, codeName: 'EmptyFieldName' },
  M000K: { code: 57, codeName: 'DottedFieldName' },
  M000M: { code: 66, codeName: 'ImmutableField' },
  M000N: { code: 67, codeName: 'CannotCreateIndex' },
  M000P: { code: 72, codeName: 'InvalidOptions' },
  M000Q: { code: 73, codeName: 'InvalidNamespace' },
  M000R: { code: 85, codeName: 'IndexOptionsConflict' },
  M000S: { code: 86, codeName: 'IndexKeySpecsConflict' },
  M000U: { code: 115, codeName: 'CommandNotSupported' },
  M00CO: { code: 121, codeName: 'DocumentValidationFailure' },
  M000W: { code: 146, codeName: 'ExceededMemoryLimit' },
  M000Z: { code: 166, codeName: 'CommandNotSupportedOnView' },
  M0015: { code: 241, codeName: 'ConversionFailure' },
  M001B: { code: 10334, codeName: 'BSONObjectTooLarge' },
  M001C: { code: 11000, codeName: 'DuplicateKey' },
  '23505': { code: 11000, codeName: 'DuplicateKey' },
  '53100': { code: 14031, codeName: 'OutOfDiskSpace' },
  M007R: { code: 40319, codeName: 'Location40319' },
  M007U: { code: 40324, codeName: 'Location40324' },
  M0087: { code: 40414, codeName: 'Location40414' },
  M0088: { code: 40415, codeName: 'Location40415' },
};

/** What a client is told of an error. */
export function errorDocument(error: unknown): Record<string, unknown> {
  const message = error instanceof Error ? error.message : String(error);
  const state = error instanceof Error && 'code' in error ? String(error.code) : '';
  const { code, codeName } = error instanceof CommandError ? error : (byState[state] ?? internal);
  return { ok: 0, errmsg: message, code, codeName };
}

/** Results of writes carry a SQLSTATE as PostgreSQL packs it: five characters of six bits each, counted from "0". */
export function unpackedCode(packed: number): number {
  const state = [0, 6, 12, 18, 24]
    .map((shift) => String.fromCharCode(48 + ((packed >>> shift) & 63)))
    .join('');
  return byState[state]?.code ?? internal.code;
}
