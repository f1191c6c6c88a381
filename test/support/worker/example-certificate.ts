/** A self-signed certificate for www.example.com, valid until 2126; its private key was not kept. For requests that are refused at the key. */
export const exampleCertificate = `-----BEGIN CERTIFICATE-----
MIIBpzCCAU2gAwIBAgIUb7QoYrcDT0XQQx7F34rPqwudnKYwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPd3d3LmV4YW1wbGUuY29tMCAXDTI2MTEyNzAwNDQzOFoYDzIx
MjYxMTAzMDA0NDM4WjAaMRgwFgYDVQQDDA93d3cuZXhhbXBsZS5jb20wWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAR3KKaA0rHlDdTDHcnTT053R4aPWWPfACmg+L23
yBjlT1mvHM052suTkkLOR3QycdY/XU7tC4V2MrAPUkIav4u9o28wbTAdBgNVHQ4E
FgQUYiZQI6q8YtHOcxcUtMR4pNLx1xkwHwYDVR0jBBgwFoAUYiZQI6q8YtHOcxcU
tMR4pNLx1xkwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg93d3cuZXhhbXBs
ZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIhAMr65TBbTjfMW46vx5PlfJKoGAtPbxRM
m3ockTFtCiSvAiAnZuj09tJLJyek3as2ldsnIGFlcfNXl2sXmjmMdIl7vA==
-----END CERTIFICATE-----
`;
