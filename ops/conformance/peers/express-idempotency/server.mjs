// express-idempotency as its README has it: the middleware with its defaults in front of every POST, `isHit`
// in the handlers, `reportError` where one fails. Its default store is in memory, which one process may use.
import express from 'express';
import { getSharedIdempotencyService, idempotency } from 'express-idempotency';
import { Limiter, Payments, Refused, accountOf } from '../payments.mjs';

const payments = new Payments();
const limiter = new Limiter();
const app = express();

app.use((request, response, next) => {
  const account = accountOf(request.get('authorization'));
  if (account === null) return response.status(401).json({ error: 'Who are you?' });
  request.account = account;
  if (request.method !== 'POST') return next();
  const leave = limiter.enter(account);
  if (leave === null) return response.status(429).json({ error: 'Too many at once.' });
  response.once('close', leave);
  return next();
});
app.use(express.json());
app.post('*', idempotency());

app.post(
  '/payments',
  acting((request) => payments.charge(request.account, request.body)),
);
app.post(
  '/payments/:id/refunds',
  acting((request) => payments.refund(request.account, request.params.id, request.body)),
);
app.get('/payments', (request, response) => {
  response.json({ payments: payments.list(request.account) });
});

const server = app.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
process.on('disconnect', () => process.exit());

function acting(act) {
  return async (request, response, next) => {
    const service = getSharedIdempotencyService();
    if (service.isHit(request)) return;
    try {
      response.status(201).json(await act(request));
    } catch (error) {
      await service.reportError(request);
      if (!(error instanceof Refused)) next(error);
      else response.status(error.status).json({ error: error.message });
    }
  };
}
