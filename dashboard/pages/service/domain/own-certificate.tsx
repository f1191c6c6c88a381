/** The owner's own certificate of a domain: its details, replacement and removal. Its key is sent once and never shown. */

import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { exactTime } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm, Dialog } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { ownCertificateText } from '../domain-text.ts';
import { GiveCertificate } from './give-certificate.tsx';

const route = '/api/services/:serviceId/domains/:domainId/certificate';
type Known = NonNullable<
  ReplyOf<'GET /api/services/:serviceId/domains/:domainId/certificate'>['ownCertificate']
>;

interface OwnCertificateProps {
  domain: Overview['domains'][number];
  mayWrite: boolean;
  onClose(): void;
}

export function OwnCertificate(props: OwnCertificateProps) {
  const { id, serviceId, hostname } = props.domain;
  const params = { serviceId, domainId: id };
  const [isRemoving, setIsRemoving] = createSignal(false);
  const queryKey = ['own-certificate', id];
  const query = useQuery(() => ({
    queryKey,
    queryFn: ({ signal }) => api.call(`GET ${route}`, { params, signal }),
  }));
  // Only once it is loaded: otherwise the dialog would leave the document during loading.
  const answered = {
    get data() {
      return known(query);
    },
    get error() {
      return query.error;
    },
    get isFetching() {
      return query.isFetching;
    },
    refetch: () => query.refetch(),
  };
  const renew = async () => {
    await Promise.all([queries.invalidateQueries({ queryKey }), renewService(serviceId)]);
  };
  const remove = () =>
    attempt(async () => {
      const { proxy } = await api.call(`DELETE ${route}`, { params });
      say([ownCertificateText.removed(hostname), ...(proxy.ok ? [] : [proxy.detail])].join('. '));
      await renew();
    });
  return (
    <Dialog title={ownCertificateText.title(hostname)} wide onClose={props.onClose}>
      <Answer query={answered} lines={3}>
        {(data) => (
          <>
            <Show
              when={data().ownCertificate}
              fallback={
                <p class="quiet-text">
                  {ownCertificateText.automatic} {props.mayWrite && ownCertificateText.mayGive}
                </p>
              }
            >
              {(certificate) => (
                <KnownCertificate
                  known={certificate()}
                  mayWrite={props.mayWrite}
                  onRemove={() => setIsRemoving(true)}
                />
              )}
            </Show>
            <Show when={props.mayWrite}>
              <GiveCertificate
                domain={props.domain}
                isReplacing={data().ownCertificate !== null}
                onGiven={() => void renew()}
              />
            </Show>
          </>
        )}
      </Answer>
      <Show when={isRemoving()}>
        <Confirm
          title={ownCertificateText.removeTitle(hostname)}
          help={ownCertificateText.removeHelp}
          submit={ownCertificateText.remove}
          danger
          onClose={() => setIsRemoving(false)}
          onConfirm={() => void remove()}
        />
      </Show>
    </Dialog>
  );
}

function KnownCertificate(props: { known: Known; mayWrite: boolean; onRemove(): void }) {
  const certificate = () => props.known;
  const hasEnded = () => Date.parse(certificate().expiresAt) <= Date.now();
  const facts = (): [string, string][] => [
    [ownCertificateText.names, certificate().names.join(', ')],
    [ownCertificateText.issuer, certificate().issuer],
    [
      ownCertificateText.valid,
      ownCertificateText.span(exactTime(certificate().validFrom), exactTime(certificate().expiresAt)),
    ],
    [ownCertificateText.key, certificate().keyType],
    [ownCertificateText.chainName, ownCertificateText.chain(certificate().chainLength)],
    [ownCertificateText.fingerprint, certificate().fingerprint],
  ];
  return (
    <section class="own-certificate">
      <p classList={{ warning: hasEnded() }}>
        {hasEnded() ? ownCertificateText.ended : ownCertificateText.own}
      </p>
      <dl class="facts">
        {facts().map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Show when={props.mayWrite}>
        <div class="actions">
          <Button kind="danger" class="small" onClick={props.onRemove}>
            {ownCertificateText.remove}
          </Button>
        </div>
      </Show>
    </section>
  );
}
