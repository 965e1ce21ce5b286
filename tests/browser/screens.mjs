// Every screen that shows data, and who looks at it.

/** The screens of a world, by kind; whoever opens one; and which of its questions are for data. */
export function screens(world) {
  const { visit } = world;
  const at = (path) => world.stack.url + path;
  async function ask(query) {
    const headers = { apikey: world.stack.ANON_KEY };
    return (await fetch(at(`/rest/v1/${query}`), { headers })).json();
  }
  async function publicScreens() {
    const properties = await ask('properties?status=eq.active&select=id,slug&order=id&limit=2');
    const [space] = await ask('coworking_space?active=eq.true&select=slug&limit=1');
    return [
      '/',
      '/coworking',
      `/coworking/${space.slug}`,
      '/commercial',
      '/commercial/warehouses',
      '/commercial/warehouses-in-chennai',
      '/search?q=office',
      `/property/${properties[0].slug}`,
      `/compare?ids=${properties.map(({ id }) => id).join(',')}`,
    ];
  }
  const ACCOUNT_LISTS = [
    '/dashboard?tab=enquiries',
    '/dashboard?tab=news',
    '/dashboard?tab=searches',
    '/my-listings',
    '/shortlisted-properties',
    '/viewed-properties',
    '/contacted-properties',
  ];
  const ACCOUNT_SCREENS = ['/dashboard', ...ACCOUNT_LISTS, '/profile'];
  const DESKS = [
    '/admin',
    ...['listings', 'users', 'coworking', 'enquiries', 'reports', 'messages', 'audit'].map(
      (tab) => `/admin?tab=${tab}`,
    ),
  ];
  const OWNER = 'owner@demo.example.com';
  const ADMIN = 'admin@demo.example.com';

  /** What a browser keeps of a session, by whose it is: one sign-in is enough for all screens. */
  const sessions = new Map();

  async function signedIn(email) {
    const known = sessions.get(email);
    if (known) return visit(undefined, { storageState: await known });
    const visitor = await visit();
    const kept = signIn(visitor.page, email).then(() => visitor.page.context().storageState());
    sessions.set(email, kept);
    await kept;
    return visitor;
  }

  async function signIn(page, email) {
    await page.goto(at('/auth/login'));
    await page.getByRole('tab', { name: 'Email' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByLabel('Password').fill('nilam-demo-2026');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname !== '/auth/login');
  }
  const asOwner = () => signedIn(OWNER);
  const asAdmin = () => signedIn(ADMIN);
  const onPhone = () => visit({ width: 390, height: 844 });

  const isData = (url) => url.pathname.startsWith('/rest/v1/');
  /** What a desk shows, and not whether one may see it. */
  const isOfDesk = (url) => isData(url) && !url.pathname.endsWith('/is_admin');

  /** So that the waits of some are the work of others: three visitors of one kind, each at a screen of their own. */
  async function inThrees(open, paths, look) {
    const queue = [...paths];
    const worker = async () => {
      const { page, close } = await open();
      for (let path = queue.shift(); path; path = queue.shift()) await look(page, path);
      await close();
    };
    await Promise.all([worker(), worker(), worker()]);
  }

  return {
    ACCOUNT_LISTS,
    ACCOUNT_SCREENS,
    DESKS,
    asAdmin,
    asOwner,
    ask,
    at,
    inThrees,
    isData,
    isOfDesk,
    onPhone,
    publicScreens,
  };
}
