/** Members and open invitations: invite, change, new link, remove. */

import { createSignal, For, type JSX } from 'solid-js';
import { useQuery } from '../../../api/use-query.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { membersText } from '../../../text/members-text.ts';
import { t } from '../../../text/text.ts';
import { Age, exactTime } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Filter } from '../../../ui/filter.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { InviteMember } from './invite-member.tsx';
import { MemberActions } from './member-actions.tsx';
import type { NamedProject } from './member-fields.tsx';
import type { Member, MemberSource } from './member-source.ts';

interface MemberListProps {
  source: MemberSource;
  /** The projects to choose from; empty: only all projects can be chosen. */
  projects: readonly NamedProject[];
  /** The signed-in member. */
  ownId?: string | undefined;
  /** Whether to offer invitations; the server refuses those of others. */
  mayInvite: boolean;
  /** Content next to the filter. */
  children?: JSX.Element;
}

export function MemberList(props: MemberListProps) {
  const members = useQuery(() => ({
    queryKey: props.source.queryKey,
    queryFn: ({ signal }: { signal: AbortSignal }) => props.source.list(signal),
  }));
  const [words, setWords] = createSignal('');
  const [inviting, setInviting] = createSignal(false);
  usePageCommands(() =>
    props.mayInvite ? [{ label: membersText.invite, run: () => setInviting(true) }] : [],
  );
  const found = () => {
    const wanted = words().trim().toLowerCase();
    return (members.data ?? []).filter(({ name, email }) =>
      `${name} ${email}`.toLowerCase().includes(wanted),
    );
  };
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{membersText.title}</h1>
          <p class="quiet-text">{membersText.help}</p>
        </div>
        <div class="actions">
          {props.children}
          <Filter label={membersText.filter} value={words()} onInput={setWords} />
          <Show when={props.mayInvite}>
            <Button kind="primary" icon={PlusIcon} onClick={() => setInviting(true)}>
              {membersText.invite}
            </Button>
          </Show>
        </div>
      </header>
      <Answer query={members}>
        {() => (
          <ul class="lines">
            <For each={found()} fallback={<NoMembers words={words()} />}>
              {(member) => (
                <li>
                  <MemberFacts member={member} isOwn={member.id === props.ownId} />
                  <MemberActions member={member} source={props.source} projects={props.projects} />
                </li>
              )}
            </For>
          </ul>
        )}
      </Answer>
      <Show when={inviting()}>
        <InviteMember source={props.source} projects={props.projects} onClose={() => setInviting(false)} />
      </Show>
    </div>
  );
}

const NoMembers = (props: { words: string }) => (
  <Empty
    title={membersText.none}
    help={props.words ? t.nothingFound(props.words) : membersText.noneHelp}
    inList
  />
);

function MemberFacts(props: { member: Member; isOwn: boolean }) {
  const member = () => props.member;
  const projects = () => {
    const { projects: chosen } = member();
    return chosen === 'all' ? t.settings.allProjects : t.settings.someProjects(chosen.length);
  };
  return (
    <div>
      <p>
        <strong>{member().name}</strong> <span class="tag">{membersText.short[member().role]}</span>{' '}
        <Show when={props.isOwn}>
          <span class="tag">{membersText.you}</span>
        </Show>
        <Show when={member().acceptedAt === null}>
          <span class="tag waits">{membersText.invited}</span>
        </Show>
      </p>
      <p class="quiet-text facts-line">
        <span>{member().email}</span>
        <span>{projects()}</span>
        <Show when={member().projectRoles.length > 0}>
          <span>{membersText.otherRoles(member().projectRoles.length)}</span>
        </Show>
        <Show when={member().acceptedAt !== null} fallback={<LinkState member={member()} />}>
          <span>
            {membersText.lastUsed}{' '}
            <Show when={member().lastUsedAt} fallback={membersText.unused}>
              {(at) => <Age at={at()} />}
            </Show>
          </span>
        </Show>
      </p>
    </div>
  );
}

const LinkState = (props: { member: Member }) => (
  <Show when={props.member.linkExpiresAt} fallback={<span>{membersText.linkEnded}</span>}>
    {(at) => (
      <span>
        {membersText.linkUntil} {exactTime(at())}
      </span>
    )}
  </Show>
);
