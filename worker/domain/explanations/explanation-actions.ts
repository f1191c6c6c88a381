/**
 * What an explanation advises to do at the platform, as data: clients make buttons of it, and the commands for curl and the command line are
 * written from it (failure-rules/commands.ts), so that both say the same.
 */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { exampleId, notes } from '../values/field-notes.ts';

const kind = <Kind extends string>(name: Kind, says: string) => z.literal(name).describe(says);

/** Where to open a log: a deployment or a command by its id, or the app itself, whose `id` is null. */
const logOwners = ['deployment', 'run', 'app'] as const;
const connections = ['git-host', 'registry', 'deploy-key', 'new-deploy-key'] as const;

export const explanationActionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: kind('set-variable', 'Set this variable of the service.'),
    key: z.string().meta(note('Its key.', 'STRIPE_KEY')),
    value: z
      .string()
      .nullable()
      .meta(
        note(
          'A proposal, in which texts like `<version>` are to be filled in; null: only the user knows it.',
          '<version>',
        ),
      ),
  }),
  z.strictObject({
    kind: kind('setting', 'Change this setting of the service.'),
    field: z.string().meta(note('Its name, as in a PATCH of the service.', 'memoryLimitMb')),
    value: z
      .union([z.string(), z.number()])
      .nullable()
      .meta(
        note('A proposal, in which texts like `<token>` are to be filled in; null clears the setting.', 512),
      ),
  }),
  z.strictObject({ kind: kind('deploy', 'Deploy the service again.') }),
  z.strictObject({ kind: kind('send-folder', 'Send the folder of the service again, by `longshore up`.') }),
  z.strictObject({ kind: kind('restart', 'Restart the service, with its present settings and variables.') }),
  z.strictObject({
    kind: kind('rollback', 'Roll back to this deployment.'),
    deploymentId: z.string().meta(notes.deploymentId),
  }),
  z.strictObject({
    kind: kind('run-again', 'Run the failed command again.'),
    command: z.string().meta(note('The command.', 'npm run migrate')),
    container: z.enum(['new', 'live']).meta(notes.commandContainer),
  }),
  z.strictObject({
    kind: kind('open-logs', 'Read the log.'),
    of: z.enum(logOwners).describe('Whose log it is: `app` is what the live version prints.'),
    id: z
      .string()
      .nullable()
      .meta(note('Id of the deployment or command; null: the app.', exampleId('deployment'))),
  }),
  z.strictObject({ kind: kind('open-variables', 'Look at the variables of the service.') }),
  z.strictObject({ kind: kind('open-project', 'Look at the other services of the project.') }),
  z.strictObject({
    kind: kind('connect', 'Give the service access to where it fetches from.'),
    to: z
      .enum(connections)
      .describe(
        '`git-host`, `registry`: store a login. `new-deploy-key`: make a deploy key, and add it at the git host. `deploy-key`: add the present one there.',
      ),
    host: z.string().nullable().meta(note('The git host; null: not known.', 'github.com')),
    credentialId: z
      .string()
      .nullable()
      .meta(note('The stored credential to renew; null: a new one.', exampleId('gitCredential'))),
  }),
]);

export type ExplanationAction = z.infer<typeof explanationActionSchema>;
export type ActionOf<Kind extends ExplanationAction['kind']> = Extract<ExplanationAction, { kind: Kind }>;
