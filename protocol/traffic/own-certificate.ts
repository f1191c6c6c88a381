/** Owners' own certificates for their domains, in the form that the control plane sends to hosts. */
import { z } from 'zod';

/** The content of the sealed box of a name. */
export const ownCertificateSchema = z.object({
  /** PEM: the certificate of the name, then the chain to its root. */
  certificate: z.string(),
  /** PEM, PKCS #8. */
  privateKey: z.string(),
});

/** Operation of `requestPlace`: the box of one name can't be opened for another. */
export const ownCertificateOperation = (hostname: string) => `certificate ${hostname}`;
