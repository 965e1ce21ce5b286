type Words = {
  enquirySubject: (title: string) => string
  enquiry: (about: {
    name: string
    title: string
    message: string
    phone: string
    email: string
    link: string
  }) => string
  enquirySms: (about: { name: string; title: string }) => string
  alertSubject: (name: string, count: number) => string
  alert: (about: { name: string; lines: string; link: string }) => string
}

const en: Words = {
  enquirySubject: (title) => `New enquiry about ${title}`,
  enquiry: ({ name, title, message, phone, email, link }) =>
    `${name} asked about “${title}”:\n\n${message}\n\n${[phone && `Phone: ${phone}`, email && `Email: ${email}`].filter(Boolean).join('\n')}\n\nAnswer on your dashboard: ${link}\n`,
  enquirySms: ({ name, title }) => `Nilam: ${name} asked about "${title}". Open your dashboard to answer.`,
  alertSubject: (name, count) => `${count} new for “${name}”`,
  alert: ({ name, lines, link }) =>
    `New in your saved search “${name}”:\n\n${lines}\n\nAll results, and how to stop these mails: ${link}\n`,
}
const hi: Words = {
  enquirySubject: (title) => `${title} के बारे में नई पूछताछ`,
  enquiry: ({ name, title, message, phone, email, link }) =>
    `${name} ने “${title}” के बारे में पूछा:\n\n${message}\n\n${[phone && `फ़ोन: ${phone}`, email && `ईमेल: ${email}`].filter(Boolean).join('\n')}\n\nअपने डैशबोर्ड पर उत्तर दें: ${link}\n`,
  enquirySms: ({ name, title }) =>
    `Nilam: ${name} ने "${title}" के बारे में पूछा। उत्तर देने के लिए डैशबोर्ड खोलें।`,
  alertSubject: (name, count) => `“${name}” के लिए ${count} नई प्रॉपर्टी`,
  alert: ({ name, lines, link }) =>
    `आपकी सहेजी गई खोज “${name}” में नया:\n\n${lines}\n\nसभी परिणाम और ये मेल बंद करने का तरीका: ${link}\n`,
}
const ta: Words = {
  enquirySubject: (title) => `${title} பற்றிய புதிய விசாரணை`,
  enquiry: ({ name, title, message, phone, email, link }) =>
    `${name} “${title}” பற்றி விசாரித்தார்:\n\n${message}\n\n${[phone && `தொலைபேசி: ${phone}`, email && `மின்னஞ்சல்: ${email}`].filter(Boolean).join('\n')}\n\nஉங்கள் முகப்புப் பலகையில் பதிலளியுங்கள்: ${link}\n`,
  enquirySms: ({ name, title }) =>
    `Nilam: ${name} "${title}" பற்றி விசாரித்தார். பதிலளிக்க முகப்புப் பலகையைத் திறக்கவும்.`,
  alertSubject: (name, count) => `“${name}” தேடலுக்கு ${count} புதியவை`,
  alert: ({ name, lines, link }) =>
    `உங்கள் சேமித்த தேடல் “${name}” இல் புதியவை:\n\n${lines}\n\nஅனைத்து முடிவுகளும், இந்த மின்னஞ்சல்களை நிறுத்தும் வழியும்: ${link}\n`,
}

/** The words of mails in the language that a profile asks for. */
export const wordsIn = (locale: unknown) => (locale === 'hi' ? hi : locale === 'ta' ? ta : en)
