/** Actions for one member. */
import { createSignal } from 'solid-js';
import { membersText } from '../../../text/members-text.ts';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm, Dialog } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { TypeName } from '../../../ui/type-name.tsx';
import { MadeLink } from './invite-member.tsx';
import {
  type Chosen,
  MemberFields,
  type NamedProject,
  type ProjectRoles,
  wantedProjects,
  wantedRoles,
} from './member-fields.tsx';
import { type Link, type Member, type MemberSource, renewMembers } from './member-source.ts';

interface MemberProps {
  member: Member;
  source: MemberSource;
  projects: readonly NamedProject[];
}

export function MemberActions(props: MemberProps) {
  const [asking, setAsking] = createSignal<'link' | 'change' | 'remove'>();
  const [link, setLink] = createSignal<Link>();
  const name = () => props.member.name;
  const close = () => setAsking(undefined);
  const makeLink = () => attempt(async () => setLink((await props.source.link(props.member.id)).link));
  const remove = () =>
    attempt(async () => {
      const gone = name();
      await props.source.remove(props.member.id);
      say(membersText.removed(gone));
      await renewMembers(props.source);
    });
  return (
    <div class="actions">
      <Button class="small" aria-label={membersText.newLinkLabel(name())} onClick={() => setAsking('link')}>
        {membersText.newLink}
      </Button>
      <Button class="small" aria-label={membersText.changeLabel(name())} onClick={() => setAsking('change')}>
        {membersText.change}
      </Button>
      <Button class="small" aria-label={membersText.removeLabel(name())} onClick={() => setAsking('remove')}>
        {membersText.remove}
      </Button>
      <Show when={asking() === 'link'}>
        <Confirm
          title={membersText.newLinkAsk(name())}
          help={membersText.newLinkHelp}
          submit={membersText.newLink}
          onClose={close}
          onConfirm={() => void makeLink()}
        />
      </Show>
      <Show when={asking() === 'change'}>
        <ChangeMember {...props} onClose={close} />
      </Show>
      <Show when={asking() === 'remove'}>
        <TypeName
          title={membersText.removeTitle(name())}
          help={membersText.removeHelp}
          name={name()}
          submit={membersText.remove}
          onClose={close}
          onConfirm={() => void remove()}
        />
      </Show>
      <Show when={link()}>
        {(made) => (
          <MadeLink
            link={made()}
            name={name()}
            onClose={() => {
              setLink(undefined);
              void renewMembers(props.source);
            }}
          />
        )}
      </Show>
    </div>
  );
}

function ChangeMember(props: MemberProps & { onClose(): void }) {
  const [role, setRole] = createSignal(props.member.role);
  // Undefined: unchanged. After the projects of a member were deleted the list is empty, and a change of the role must not turn it into all projects.
  const [wanted, setWanted] = createSignal<Chosen>();
  const chosen = () => wanted() ?? props.member.projects;
  const [roles, setRoles] = createSignal<ProjectRoles>();
  const save = () =>
    attempt(async () => {
      const { id, name } = props.member;
      const source = props.source;
      const projects = wanted() === undefined ? {} : { projects: wantedProjects(role(), chosen()) };
      const projectRoles = roles() && wantedRoles(role(), chosen(), roles() ?? []);
      await source.change(id, { role: role(), ...projects, ...(projectRoles && { projectRoles }) });
      props.onClose();
      say(membersText.changed(name));
      await renewMembers(source);
    });
  return (
    <Dialog title={membersText.changeTitle(props.member.name)} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p class="quiet-text">{membersText.changeHelp}</p>
        <MemberFields
          role={role()}
          onRole={setRole}
          roles={roles() ?? props.member.projectRoles}
          onRoles={setRoles}
          projects={props.projects}
          chosen={chosen()}
          onChosen={setWanted}
        />
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit">
            {membersText.changeSubmit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
