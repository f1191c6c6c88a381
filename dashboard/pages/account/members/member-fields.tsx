/** Role and projects of a member, in a form. */
import { For } from 'solid-js';
import { membersText } from '../../../text/members-text.ts';
import { apiKeysText } from '../../../text/operator-text.ts';
import { Show } from '../../../ui/show.ts';
import type { Member, Role } from './member-source.ts';

export interface NamedProject {
  id: string;
  name: string;
}

/** All, or a list of ids. An empty list means none, never all: the projects of a list may have been deleted. */
export type Chosen = 'all' | readonly string[];

export type ProjectRoles = Member['projectRoles'];
type ProjectRole = ProjectRoles[number]['role'];

interface MemberFieldsProps {
  role: Role;
  roles: ProjectRoles;
  onRoles(roles: ProjectRoles): void;
  onRole(role: Role): void;
  projects: readonly NamedProject[];
  chosen: Chosen;
  onChosen(chosen: Chosen): void;
}

const roles = Object.keys(membersText.roles) as Role[];

export function MemberFields(props: MemberFieldsProps) {
  return (
    <>
      <label>
        <span>{membersText.role}</span>
        <select value={props.role} onChange={(event) => props.onRole(event.currentTarget.value as Role)}>
          <For each={roles}>{(one) => <option value={one}>{membersText.roles[one]}</option>}</For>
        </select>
      </label>
      <Show when={props.role !== 'owner'} fallback={<p class="quiet-text">{membersText.ownerSeesAll}</p>}>
        <ProjectFields projects={props.projects} chosen={props.chosen} onChosen={props.onChosen} />
        <RoleFields {...props} />
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
        <span>{membersText.projects}</span>
        <select
          value={props.chosen === 'all' ? 'all' : 'chosen'}
          onChange={(event) => props.onChosen(event.currentTarget.value === 'all' ? 'all' : [])}
        >
          <option value="all">{apiKeysText.allProjects}</option>
          <option value="chosen">{apiKeysText.chosenProjects}</option>
        </select>
      </label>
      <Show when={props.chosen !== 'all' && props.projects.length > 0}>
        <fieldset class="checks">
          <legend>{apiKeysText.chosenProjects}</legend>
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

const ownRoles = ['viewer', 'deployer', 'developer'] as const satisfies readonly ProjectRole[];

/** Other roles in single projects that the member sees. */
function RoleFields(props: MemberFieldsProps) {
  const seen = () => props.projects.filter(({ id }) => props.chosen === 'all' || props.chosen.includes(id));
  const set = (projectId: string, role: string) => {
    const others = props.roles.filter((one) => one.projectId !== projectId);
    const chosen = ownRoles.find((one) => one === role);
    props.onRoles(chosen ? [...others, { projectId, role: chosen }] : others);
  };
  return (
    <Show when={seen().length > 0}>
      <details open={props.roles.length > 0}>
        <summary>{membersText.projectRoles}</summary>
        <p class="quiet-text">{membersText.projectRolesHelp}</p>
        <For each={seen()}>
          {(project) => (
            <label>
              <span>{project.name}</span>
              <select
                value={props.roles.find((one) => one.projectId === project.id)?.role ?? ''}
                onChange={(event) => set(project.id, event.currentTarget.value)}
              >
                <option value="">{membersText.sameRole}</option>
                <For each={ownRoles}>{(one) => <option value={one}>{membersText.short[one]}</option>}</For>
              </select>
            </label>
          )}
        </For>
      </details>
    </Show>
  );
}

/** The roles in the form of the API: none for projects that the member does not see. */
export const wantedRoles = (role: Role, chosen: Chosen, roles: ProjectRoles): ProjectRoles =>
  role === 'owner' ? [] : roles.filter(({ projectId }) => chosen === 'all' || chosen.includes(projectId));

/** The projects in the form of the API; it refuses an empty list. */
export const wantedProjects = (role: Role, chosen: Chosen): 'all' | [string, ...string[]] =>
  role === 'owner' || chosen === 'all' ? 'all' : ([...chosen] as [string, ...string[]]);
