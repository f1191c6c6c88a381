/** Apache's configuration: the service's port, the document root, and no access to private files. */

/** Apache's syntax for an environment variable. */
const port = '$' + '{PORT}';

/**
 * Apache's configuration files; their text contains no single quotes.
 * @param hasFrontController true if index.php handles every path that is not a file
 */
export const apacheSite = (documentRoot: string, hasFrontController: boolean) => {
  const directory = documentRoot === '.' ? '/app' : `/app/${documentRoot}`;
  const text = [
    // Front controllers (Laravel, Symfony, WordPress) have their rules in .htaccess.
    '<IfModule !rewrite_module>',
    'LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so',
    '</IfModule>',
    'ServerName localhost',
    'ServerTokens Prod',
    `<VirtualHost *:${port}>`,
    `DocumentRoot "${directory}"`,
    'ErrorLog /proc/self/fd/2',
    'CustomLog /proc/self/fd/1 combined',
    // The proxy terminates TLS; this header shows the app that the client uses HTTPS.
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
