/** The form for a certificate and its key: pasted, dropped or chosen, in one or two files. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import type { Overview } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { ownCertificateText } from '../domain-text.ts';
import { type Pem, pemBlocks } from './pem-blocks.ts';

interface GiveCertificateProps {
  domain: Overview['domains'][number];
  isReplacing: boolean;
  onGiven(): void;
}

const empty: Pem = { certificate: '', privateKey: '' };
/** Above the server's own limit. */
const fileBytesMax = 64_000;

export function GiveCertificate(props: GiveCertificateProps) {
  let picker: HTMLInputElement | undefined;
  const [pem, setPem] = createSignal(empty);
  const [isOver, setIsOver] = createSignal(false);
  const [fileFailure, setFileFailure] = createSignal<string>();
  const { isBusy, failureAt, save } = createSaving((name) => name in empty);
  const submit = async () => {
    const { id, serviceId, hostname } = props.domain;
    const isGiven = await save(async () => {
      const params = { serviceId, domainId: id };
      const route = 'PUT /api/services/:serviceId/domains/:domainId/certificate';
      const { proxy } = await api.call(route, { params, body: pem() });
      say([ownCertificateText.given(hostname), ...(proxy.ok ? [] : [proxy.detail])].join('. '));
    });
    if (!isGiven) return;
    setPem(empty);
    props.onGiven();
  };
  const take = async (files: Iterable<File>) => {
    setFileFailure(undefined);
    for (const file of files) {
      if (file.size > fileBytesMax) return setFileFailure(ownCertificateText.tooLarge(file.name));
      const found = pemBlocks(await file.text());
      if (found.certificate === '' && found.privateKey === '')
        return setFileFailure(ownCertificateText.noPem(file.name));
      setPem((now) => ({
        certificate: found.certificate || now.certificate,
        privateKey: found.privateKey || now.privateKey,
      }));
    }
  };
  /** If a whole file is pasted, it may contain the key too. */
  const pasteCertificate = (text: string) => {
    const found = pemBlocks(text);
    setPem((now) =>
      found.privateKey === '' ? { ...now, certificate: text } : { ...found, certificate: found.certificate },
    );
  };
  return (
    <form
      class="give-certificate"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        void take(event.dataTransfer?.files ?? []);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        accept=".pem,.crt,.cer,.key"
        aria-label={ownCertificateText.files}
        onChange={(event) => {
          void take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <div class="drop-here" classList={{ over: isOver() }}>
        {ownCertificateText.drop}{' '}
        <Button class="small" onClick={() => picker?.click()}>
          {ownCertificateText.choose}
        </Button>
        <Show when={fileFailure()}>
          {(sentence) => (
            <p class="field-failure" role="alert">
              {sentence()}
            </p>
          )}
        </Show>
      </div>
      <TextField
        label={ownCertificateText.certificate}
        help={ownCertificateText.certificateHelp}
        rows={4}
        mono
        required
        failure={failureAt('certificate')}
        value={pem().certificate}
        onInput={pasteCertificate}
      />
      <div class="masked">
        <TextField
          label={ownCertificateText.privateKey}
          help={ownCertificateText.privateKeyHelp}
          rows={3}
          mono
          required
          failure={failureAt('privateKey')}
          value={pem().privateKey}
          onInput={(privateKey) => setPem((now) => ({ ...now, privateKey }))}
        />
      </div>
      <footer class="actions end">
        <Button kind="primary" type="submit" busy={isBusy()}>
          {props.isReplacing ? ownCertificateText.replace : ownCertificateText.give}
        </Button>
      </footer>
    </form>
  );
}
