/** Role and projects of a member, in a form. */
import { For, Show } from 'solid-js';
import { t } from '../../text/text.ts';
import type { Role } from './source.ts';

export interface NamedProject {
  id: string;
  name: string;
}

/** All, or ids. An empty list is none, and never all: the projects of a list may have been deleted. */
export type Chosen = 'all' | readonly string[];

interface MemberFieldsProps {
  role: Role;
  onRole(role: Role): void;
  projects: readonly NamedProject[];
  chosen: Chosen;
  onChosen(chosen: Chosen): void;
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
        <ProjectFields projects={props.projects} chosen={props.chosen} onChosen={props.onChosen} />
      </Show>
    </>
  );
}

function ProjectFields(props: Pick<MemberFieldsProps, 'projects' | 'chosen' | 'onChosen'>) {
  const ids = () => (props.chosen === 'all' ? [] : props.chosen);
  const toggle = (id: string, checked: boolean) =>
    props.onChosen(checked ? [...ids(), id] : ids().filter((one) => one !== id));
  return (
    <>
      <label>
        <span>{t.members.projects}</span>
        <select
          value={props.chosen === 'all' ? 'all' : 'chosen'}
          onChange={(event) => props.onChosen(event.currentTarget.value === 'all' ? 'all' : [])}
        >
          <option value="all">{t.apiKeys.allProjects}</option>
          <option value="chosen">{t.apiKeys.chosenProjects}</option>
        </select>
      </label>
      <Show when={props.chosen !== 'all' && props.projects.length > 0}>
        <fieldset class="checks">
          <legend>{t.apiKeys.chosenProjects}</legend>
          <For each={props.projects}>
            {(project) => (
              <label>
                <input
                  type="checkbox"
                  checked={ids().includes(project.id)}
                  onChange={({ currentTarget }) => toggle(project.id, currentTarget.checked)}
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

/** The projects as the API takes them; it refuses an empty list. */
export const wantedProjects = (role: Role, chosen: Chosen): 'all' | [string, ...string[]] =>
  role === 'owner' || chosen === 'all' ? 'all' : ([...chosen] as [string, ...string[]]);
