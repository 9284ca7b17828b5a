'use strict';

const { confirmation } = require('../../lib/clock');

/** In this suite a counter that looks deleted or set back is looked at once more, not for two seconds. */
function confirmAtOnce() {
  const { time } = confirmation;
  beforeAll(() => {
    confirmation.time = 0;
  });
  afterAll(() => {
    confirmation.time = time;
  });
}

module.exports = { confirmAtOnce };
