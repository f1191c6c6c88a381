/** The files to put into the repository whose jobs a policy trusts. */
import { createSignal } from 'solid-js';
import { type Project, useKey } from '../../../api/queries.ts';
import { drainsText } from '../../../text/drains-text.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ChoiceField } from '../../../ui/field.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { isDatabase } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { ciFile, deployScript } from './ci-file.ts';
import { whomOf } from './policy-facts.ts';
import type { TrustPolicy } from './trust-policy.ts';
import { trustText } from './trust-text.ts';

export function CiFiles(props: { policy: TrustPolicy; project: Project; onClose(): void }) {
  const key = useKey();
  const apps = () => props.project.services.filter((service) => !isDatabase(service));
  const [slug, setSlug] = createSignal(apps()[0]?.slug ?? 'SERVICE');
  const files = () => {
    const { policy, project } = props;
    const file = ciFile(policy, { address: location.origin, service: `${project.slug}/${slug()}` });
    // Outside of the default tenant, the slug of a project is not unique.
    const isElsewhere = (key.data?.tenantId ?? 'default') !== 'default';
    const script = deployScript({
      projectId: isElsewhere ? project.id : undefined,
      audience: policy.audience === location.origin ? undefined : policy.audience,
    });
    return [...(file ? [file] : []), script].map((one) => ({ ...one, id: one.path }));
  };
  return (
    <Dialog title={trustText.filesTitle(whomOf(props.policy))} wide onClose={props.onClose}>
      <p>{props.policy.provider === 'other' ? trustText.noFile : trustText.filesHelp}</p>
      <Show when={apps().length > 0} fallback={<p class="quiet-text">{trustText.noService}</p>}>
        <ChoiceField
          label={trustText.service}
          choices={apps().map((service) => ({ value: service.slug, text: service.name }))}
          value={slug()}
          onInput={setSlug}
        />
      </Show>
      <Rows each={files()}>
        {(file) => (
          <section class="ci-file" aria-label={file().path}>
            <header>
              <code>{file().path}</code>
              <CopyButton text={file().text} what={file().path} />
            </header>
            <pre tabindex="0">{file().text}</pre>
          </section>
        )}
      </Rows>
      <footer class="actions end">
        <a href="/docs/guide/ci.md" rel="external">
          {trustText.guide}
        </a>
        <Button kind="primary" onClick={props.onClose}>
          {drainsText.done}
        </Button>
      </footer>
    </Dialog>
  );
}
