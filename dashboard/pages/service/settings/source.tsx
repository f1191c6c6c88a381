/** The source of an app, and its replacement by another repository, an image or an uploaded folder. */
import { createSignal } from 'solid-js';
import type { PatchServiceBody } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { renewService, type Service } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { newServiceText } from '../../../text/new-service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { RecordDialog, type RecordField, type Typed } from '../../../ui/record-dialog.tsx';
import { sourceText } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { sourceSettingsText } from './resources-text.ts';
import { isGit } from './setting-groups.ts';

const texts = sourceSettingsText;
type Kind = keyof typeof texts.kinds;
type Name = 'kind' | 'repoUrl' | 'branch' | 'gitToken' | 'imageRef';

export function Source(props: { service: Service; mayWrite: boolean }) {
  const [isOpen, setIsOpen] = createSignal(false);
  const kind = (): Kind => {
    if (props.service.imageRef !== null) return 'image';
    return isGit(props.service) ? 'repository' : 'folder';
  };
  const send = async (typed: Typed<Name>) => {
    const params = { serviceId: props.service.id };
    const { warnings = [] } = await api.call('PATCH /api/services/:serviceId', {
      params,
      body: bodyOf(typed),
    });
    await renewService(props.service.id);
    for (const name of ['webhook', 'deploy-key'])
      await queries.invalidateQueries({ queryKey: [name, props.service.id] });
    return [typed.kind === 'folder' ? texts.savedFolder : texts.saved, ...warnings].join(' ');
  };
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <dl class="facts">
        <div>
          <dt>{texts.kinds[kind()]}</dt>
          <dd class="long-text">{kind() === 'folder' ? texts.sent : sourceText(props.service)}</dd>
        </div>
      </dl>
      <Show when={props.mayWrite}>
        <div class="actions">
          <Button class="small" onClick={() => setIsOpen(true)}>
            {texts.change}
          </Button>
        </div>
      </Show>
      <Show when={isOpen()}>
        <RecordDialog<Name>
          title={texts.change}
          help={texts.help}
          fields={fields}
          first={{
            kind: kind(),
            repoUrl: isGit(props.service) ? props.service.repoUrl : '',
            branch: props.service.branch,
            gitToken: '',
            imageRef: props.service.imageRef ?? '',
          }}
          send={send}
          onClose={() => setIsOpen(false)}
        />
      </Show>
    </section>
  );
}

const isKind = (kind: Kind) => (typed: Typed<Name>) => typed.kind === kind;

const fields: readonly RecordField<Name>[] = [
  {
    name: 'kind',
    kind: 'choice',
    label: texts.kind,
    choices: Object.entries(texts.kinds).map(([value, text]) => ({ value, text })),
  },
  {
    name: 'repoUrl',
    kind: 'text',
    label: newServiceText.url,
    isRequired: true,
    mono: true,
    fits: isKind('repository'),
  },
  {
    name: 'branch',
    kind: 'text',
    label: newServiceText.branch,
    isRequired: true,
    mono: true,
    fits: isKind('repository'),
  },
  {
    name: 'gitToken',
    kind: 'password',
    label: newServiceText.token,
    help: texts.tokenHelp,
    fits: isKind('repository'),
  },
  {
    name: 'imageRef',
    kind: 'text',
    label: newServiceText.image,
    help: newServiceText.imageHelp,
    isRequired: true,
    mono: true,
    fits: isKind('image'),
  },
];

function bodyOf({ kind, repoUrl, branch, gitToken, imageRef }: Typed<Name>): PatchServiceBody {
  if (kind === 'image') return { repoUrl: 'container-image', imageRef: imageRef.trim() };
  if (kind === 'folder') return { repoUrl: 'upload' };
  const credential = gitToken === '' ? {} : { gitToken };
  return { repoUrl: repoUrl.trim(), branch: branch.trim(), ...credential };
}
