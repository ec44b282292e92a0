import { createHmac } from 'node:crypto';

/**
 * The addresses of the two login roles that services use, derived from the owner's. The passwords are
 * a function of the owner's password, so that every process that knows the owner's address arrives at
 * the same ones and nothing has to be stored; two databases of one owner share the roles, which belong
 * to the whole cluster.
 */
export function roleUrls(ownerUrl: string): { appUrl: string; maintenanceUrl: string } {
  return {
    appUrl: urlOf('payonce_app', ownerUrl),
    maintenanceUrl: urlOf('payonce_maintenance', ownerUrl),
  };
}

function urlOf(role: string, ownerUrl: string): string {
  const url = new URL(ownerUrl);
  const secret = url.password === '' ? ownerUrl : decodeURIComponent(url.password);
  url.username = role;
  url.password = createHmac('sha256', secret).update(`payonce role ${role}`).digest('base64url');
  return url.href;
}
