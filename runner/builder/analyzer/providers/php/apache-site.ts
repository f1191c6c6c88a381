/** What Apache serves: the port that the service has, the document root, and no file that is not for visitors. */

/** Apache's own word for an environment variable. */
const port = '$' + '{PORT}';

/**
 * Files of Apache's configuration; their text has no single quotes.
 * @param hasFrontController whether index.php answers for every path that is no file
 */
export const apacheSite = (documentRoot: string, hasFrontController: boolean) => {
  const directory = documentRoot === '.' ? '/app' : `/app/${documentRoot}`;
  const text = [
    // Front controllers (Laravel, Symfony, WordPress) bring their rules in .htaccess.
    '<IfModule !rewrite_module>',
    'LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so',
    '</IfModule>',
    'ServerName localhost',
    'ServerTokens Prod',
    `<VirtualHost *:${port}>`,
    `DocumentRoot "${directory}"`,
    'ErrorLog /proc/self/fd/2',
    'CustomLog /proc/self/fd/1 combined',
    // The proxy ends TLS: an app that asks whether it is served by HTTPS must hear the truth.
    'SetEnvIf X-Forwarded-Proto "^https$" HTTPS=on',
    `<Directory "${directory}">`,
    'Options -Indexes +FollowSymLinks',
    'AllowOverride All',
    'Require all granted',
    'DirectoryIndex index.php index.html',
    ...(hasFrontController ? ['FallbackResource /index.php'] : []),
    '</Directory>',
    '<LocationMatch "/\\.(?!well-known/)|/(composer\\.(json|lock)|auth\\.json|Procfile|artisan)$|^/vendor/">',
    'Require all denied',
    '</LocationMatch>',
    '</VirtualHost>',
  ].join('\n');
  return [
    { path: '/etc/apache2/sites-enabled/000-default.conf', text },
    { path: '/etc/apache2/ports.conf', text: `Listen ${port}` },
  ];
};
