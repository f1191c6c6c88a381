/** Invites a member, and shows the link once. */
import { createSignal } from 'solid-js';
import { membersText } from '../../../text/members-text.ts';
import { t } from '../../../text/text.ts';
import { exactTime } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';
import {
  type Chosen,
  MemberFields,
  type NamedProject,
  type ProjectRoles,
  wantedProjects,
  wantedRoles,
} from './member-fields.tsx';
import { addressOf, type Link, type MemberSource, type Role, renewMembers } from './member-source.ts';

interface InviteMemberProps {
  source: MemberSource;
  projects: readonly NamedProject[];
  onClose(): void;
}

export function InviteMember(props: InviteMemberProps) {
  const [email, setEmail] = createSignal('');
  const [name, setName] = createSignal('');
  const [role, setRole] = createSignal<Role>('developer');
  const [chosen, setChosen] = createSignal<Chosen>('all');
  const [roles, setRoles] = createSignal<ProjectRoles>([]);
  const [busy, setBusy] = createSignal(false);
  const [link, setLink] = createSignal<Link>();
  const submit = async () => {
    setBusy(true);
    await attempt(async () => {
      const projects = wantedProjects(role(), chosen());
      const projectRoles = wantedRoles(role(), chosen(), roles());
      const body = { email: email().trim(), name: name().trim(), role: role(), projects, projectRoles };
      setLink((await props.source.invite(body)).link);
    });
    setBusy(false);
  };
  const close = () => {
    props.onClose();
    void renewMembers(props.source);
  };
  return (
    <Show
      when={link()}
      fallback={
        <Dialog title={membersText.inviteTitle} onClose={() => link() === undefined && props.onClose()}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!busy()) void submit();
            }}
          >
            <label>
              <span>{membersText.email}</span>
              <input
                type="email"
                required
                autofocus
                autocomplete="off"
                aria-describedby="member-email-help"
                value={email()}
                onInput={(event) => setEmail(event.currentTarget.value)}
              />
            </label>
            <p id="member-email-help" class="quiet-text">
              {membersText.emailHelp}
            </p>
            <label>
              <span>{membersText.name}</span>
              <input
                type="text"
                required
                autocomplete="off"
                value={name()}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </label>
            <MemberFields
              role={role()}
              onRole={setRole}
              roles={roles()}
              onRoles={setRoles}
              projects={props.projects}
              chosen={chosen()}
              onChosen={setChosen}
            />
            <footer class="actions end">
              <Button onClick={props.onClose}>{t.cancel}</Button>
              <Button kind="primary" type="submit" busy={busy()}>
                {membersText.inviteSubmit}
              </Button>
            </footer>
          </form>
        </Dialog>
      }
    >
      {(made) => <MadeLink link={made()} name={name()} onClose={close} />}
    </Show>
  );
}

/** The only time that a link is shown. */
export function MadeLink(props: { link: Link; name: string; onClose(): void }) {
  return (
    <Dialog title={membersText.linkTitle} onClose={props.onClose} wide>
      <div class="stack">
        <p>{membersText.linkHelp(props.name, exactTime(props.link.expiresAt))}</p>
        <Copyable text={addressOf(props.link)} what={membersText.linkTitle} />
        <footer class="actions end">
          <Button kind="primary" autofocus onClick={props.onClose}>
            {membersText.done}
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}
