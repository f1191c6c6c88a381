/**
 * Addresses at which a cloud gives each of its machines credentials, user data and the like. Whoever reaches one of them acts as the host.
 * From the vendors' documents, and from cloud-init's list of data sources where they name it.
 */
export const metadataAddresses = {
  ipv4: [
    // Link-local: AWS, Google, Azure, Oracle, DigitalOcean, Hetzner, OpenStack, Akamai, Vultr and most others (.169.254), tasks of
    // Amazon ECS and EKS (.170.2, .170.23), Scaleway (.42.42), Tencent (.0.23).
    '169.254.0.0/16',
    '168.63.129.16', // Azure: WireServer
    '100.100.100.200', // Alibaba Cloud
    '192.0.0.192', // Oracle Cloud Classic
  ],
  ipv6: [
    'fe80::/10', // Link-local: OpenStack and Akamai (fe80::a9fe:a9fe)
    'fd00:ec2::/32', // AWS: metadata (::254), EKS (::23)
    'fd20:ce::254', // Google
    'fd00:c1::a9fe:a9fe', // Oracle
    'fd00:42::42', // Scaleway
    'fd00:a9fe:a9fe::1', // Akamai
    'fd00:100::100:200', // Alibaba Cloud
  ],
} as const;
