/** `service`: services that have no version yet. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { allOrNothing } from '../data/creation.ts';
import { findHost } from '../data/hosts.ts';
import { chosenProjectToCreate } from '../data/project.ts';
import { deployCommand } from '../deployments/next-command.ts';
import { isNamed, pathOf } from '../names/find.ts';
import { hostFlag } from '../proposals.ts';
import {
  type SettingFlags,
  settingFlags,
  settingsOfFlags,
  sourceOfFlags,
  variablesOfFlags,
} from '../service-settings/setting-flags.ts';
import { about, type CommandLine, type CommonFlags, openSession, serviceFlags } from '../session.ts';
import { variableList } from '../variables/env-file.ts';

const { service: _, ...projectFlags } = serviceFlags;

interface CreateFlags extends CommonFlags, SettingFlags {
  project?: string;
  host?: string;
}

const create = buildCommand({
  docs: about(
    'Create a service without deploying it',
    'Its variables, domains, volumes and databases can then exist before its first version starts. --repo or --image names the source; without them, longshore up sends a folder. A missing project is created, too.',
    'longshore service create web -p shop --env-file .env --set memoryLimitMb=512',
  ),
  parameters: {
    flags: {
      ...projectFlags,
      ...settingFlags,
      host: hostFlag('Host on which it is created: name or id'),
    },
    aliases: { p: 'project' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name, or project/service', parse: String, placeholder: 'name' }],
    },
  },
  async func(this: CommandLine, flags: CreateFlags, given: string) {
    const session = await openSession(this, flags);
    const [before, after] = given.includes('/') ? given.split('/', 2) : [undefined, given];
    const name = after ?? '';
    const body = {
      ...(sourceOfFlags(flags) ?? { repoUrl: 'upload' as const }),
      ...settingsOfFlags(flags),
      env: variableList(await variablesOfFlags(session, flags)),
      name,
    };
    const project = await chosenProjectToCreate(session, before ?? flags.project);
    const same = 'create' in project ? undefined : project.services.find(isNamed(name));
    if (same !== undefined)
      throw usageFailure(`There is a service ${given} already. To change it: longshore settings set`);
    const host = flags.host === undefined ? undefined : await findHost(session, flags.host);
    const found = await allOrNothing(session, async (creation) => {
      const made = await creation.project(project);
      const service = await creation.service(made, {
        ...body,
        ...(host === undefined ? {} : { runnerId: host.id }),
      });
      return { project: made, service };
    });
    session.output.answer({ service: found.service }, () => pathOf(found));
    session.output.progress(`To deploy it: ${deployCommand(found)}`);
  },
});

export const service = buildRouteMap({
  docs: { brief: 'Services: create without deploying' },
  routes: { create },
});
