/** Column types that tables share. */
import { integer, text } from 'drizzle-orm/sqlite-core';

/** A time in epoch milliseconds; the API writes it as ISO 8601 (http/timestamps). */
export const moment = (name: string) => integer(name);
export const flag = (name: string) => integer(name, { mode: 'boolean' });
/** Ciphertext of the secret envelope (security/secret-envelope), which can only be decrypted in its own row. */
export const sealedText = (name: string) => text(name);
export const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>();
