/** Column shapes that every table shares. */
import { integer, text } from 'drizzle-orm/sqlite-core';

/** A moment as epoch milliseconds; the API writes it as ISO 8601 (api/timestamps). */
export const moment = (name: string) => integer(name);
export const flag = (name: string) => integer(name, { mode: 'boolean' });
/** Ciphertext of the secret envelope (security/secret-envelope): opens only with the row's own context. */
export const sealedText = (name: string) => text(name);
export const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>();
