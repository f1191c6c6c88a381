import { z } from 'zod';
import { gitHostOf } from '../../../protocol/credentials.ts';
import { notes } from '../values/field-notes.ts';
import { statusApis } from './commit-status/status-apis.ts';

export const hostMeta = {
  description: 'Host of the git server, with its port unless that is 443.',
  examples: ['github.com'],
};
export const projectMeta = {
  description: 'The only project whose services use it; null: all projects of the tenant.',
};
const tokenMeta = {
  description: 'Access token of the git host. Stored encrypted, never returned.',
  examples: ['a token'],
};

/** Includes the credentials of its projects. */
export const gitCredentialsPerTenant = 100;

const isHost = (text: string) => /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$/.test(text);

const host = z
  .string()
  .max(253, 'is too long: at most 253 characters')
  .refine(
    (text) => isHost(text) && gitHostOf(`https://${text}`) !== undefined,
    'must be the host of a git server, with its port unless that is 443: "github.com", "git.example.com:3000"',
  );

/** RFC 7617: a username of Basic authentication has no colon, and neither part has control characters. */
const username = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'is too long: at most 256 characters')
  .regex(/^[^:\p{Cc}]+$/u, 'can\'t have ":" or control characters');
const token = z
  .string()
  .min(1, 'must not be empty')
  .max(8_192, 'is too long: at most 8,192 characters')
  .regex(/^\P{Cc}+$/u, "can't have control characters: an SSH key belongs to a service, see its deploy key")
  .refine((text) => text === text.trim(), "can't begin or end with a space: copy the token alone");

const commitStatus = z
  .enum(statusApis)
  .nullable()
  .describe(
    'Report the state of deployments to the git host, as a status of their commit, by this API (Forgejo: `gitea`). null: do not. The token must be allowed to write statuses.',
  );

export const newGitCredentialSchema = z.strictObject({
  host: host.meta(hostMeta),
  token: token.meta(tokenMeta),
  username: username.optional().meta({
    description:
      'User name that the git host wants with the token. Absent: `x-access-token`, which GitHub, GitLab, Gitea and Forgejo accept; `x-token-auth` for Bitbucket.',
    examples: ['oauth2'],
  }),
  projectId: z.string().nullable().optional().meta(projectMeta),
  commitStatus: commitStatus.default(null),
});
export const gitCredentialPatchSchema = z
  .strictObject({ username: username.meta(notes.username), token: token.meta(tokenMeta), commitStatus })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change');

/** Lower-cases a host and removes the port 443. */
export const normalHost = (text: string): string => gitHostOf(`https://${text}`) ?? text;
