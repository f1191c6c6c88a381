import { z } from 'zod';
import { notes } from '../values/field-notes.ts';

/** Limited because all of them are sent with each deployment. */
export const registriesPerTenant = 20;

const host = z
  .string()
  .max(253, 'is too long: at most 253 characters')
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$/,
    'must be a host, with its port if it has one, as names of images begin with it: "ghcr.io", "registry.example.com:5000"; Docker Hub is "docker.io"',
  );

/** RFC 7617: a username of Basic authentication has no colon, and neither part has control characters. */
const username = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'is too long: at most 256 characters')
  .regex(/^[^:\p{Cc}]+$/u, 'can\'t have ":" or control characters');
const password = z
  .string()
  .min(1, 'must not be empty')
  .max(8_192, 'is too long: at most 8,192 characters')
  .regex(/^\P{Cc}+$/u, "can't have control characters: give a key file in JSON as one line");

export const newRegistrySchema = z.strictObject({
  host: host.meta(notes.host),
  username: username.meta(notes.username),
  password: password.meta(notes.password),
});
export const registryPatchSchema = z
  .strictObject({ username: username.meta(notes.username), password: password.meta(notes.password) })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change');
