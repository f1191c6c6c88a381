/** Role and projects of a member, in a form. */
import { For, Show } from 'solid-js';
import { t } from '../../text/text.ts';
import type { Role } from './source.ts';

export interface NamedProject {
  id: string;
  name: string;
}

interface MemberFieldsProps {
  role: Role;
  onRole(role: Role): void;
  projects: readonly NamedProject[];
  /** Ids; none: all projects. */
  chosen: readonly string[];
  onChosen(chosen: readonly string[]): void;
}

const roles = Object.keys(t.members.roles) as Role[];

export function MemberFields(props: MemberFieldsProps) {
  return (
    <>
      <label>
        <span>{t.members.role}</span>
        <select value={props.role} onChange={(event) => props.onRole(event.currentTarget.value as Role)}>
          <For each={roles}>{(one) => <option value={one}>{t.members.roles[one]}</option>}</For>
        </select>
      </label>
      <Show when={props.role !== 'owner'} fallback={<p class="quiet-text">{t.members.ownerSeesAll}</p>}>
        <fieldset class="checks" hidden={props.projects.length === 0}>
          <legend>
            {t.members.projects}:{' '}
            {props.chosen.length === 0 ? t.apiKeys.allProjects : t.apiKeys.chosenProjects}
          </legend>
          <For each={props.projects}>
            {(project) => (
              <label>
                <input
                  type="checkbox"
                  checked={props.chosen.includes(project.id)}
                  onChange={({ currentTarget: { checked } }) =>
                    props.onChosen(
                      checked
                        ? [...props.chosen, project.id]
                        : props.chosen.filter((one) => one !== project.id),
                    )
                  }
                />
                <span>{project.name}</span>
              </label>
            )}
          </For>
        </fieldset>
      </Show>
    </>
  );
}

/** The projects as the API takes them. */
export function wantedProjects(
  role: Role,
  [first, ...others]: readonly string[],
): 'all' | [string, ...string[]] {
  return role === 'owner' || first === undefined ? 'all' : [first, ...others];
}
